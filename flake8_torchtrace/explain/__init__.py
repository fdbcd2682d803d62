"""What each code means: one page a code, printed by ``torchtrace explain`` and kept in ``docs/rules/``."""
