"""Verdicts from a running program: the first calls of flagged modules are verified where they stand, in forked children.

What runs in the user's program (`program` and what it imports) needs the standard library and torch only, and neither flake8 nor libcst.
"""
