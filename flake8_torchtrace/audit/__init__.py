"""``torchtrace audit``: a whole tree through the linter and, if asked for, through torch, with a gate for CI."""
