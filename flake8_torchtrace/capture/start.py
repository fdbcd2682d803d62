"""Beginning to record in a program that the environment tells of a recording."""

from __future__ import annotations

import atexit
import os

from .program import Program
from .settings import VARIABLE, Link


def start() -> Program | None:
    """Begin, where a recording is wanted."""
    directory = os.environ.get(VARIABLE)
    if not directory:
        return None
    program = Program(Link(directory))
    program.begin()
    atexit.register(program.end)
    return program
