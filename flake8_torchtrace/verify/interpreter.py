"""What another Python interpreter is, asked of itself."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass

_LONGEST = 60

_ASK = """
import sys
print("%d.%d" % sys.version_info[:2])
try:
    from importlib import metadata
    print(metadata.version("torch").partition("+")[0])
except ImportError:  # PackageNotFoundError is one
    pass
"""


class InterpreterError(Exception):
    """There is no such interpreter, or it does not work; the text says so, for the user."""


@dataclass(frozen=True)
class Interpreter:
    """``version``: ``3.11``; ``torch``: the version that its metadata names, without the build; empty if it has none."""

    path: str
    version: str
    torch: str


def locate(python: str) -> str:
    """The absolute path of the interpreter that ``python`` names: a file, the folder of an environment, or a name to be found in PATH.

    A link stays one: it is what makes an interpreter that of an environment. Raises InterpreterError.
    """
    path = os.path.join(python, "bin", "python") if os.path.isdir(python) else shutil.which(python)
    if path is None or not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise InterpreterError(f"there is no interpreter {python}")
    return os.path.abspath(path)


def find_interpreter(python: str) -> Interpreter:
    """What ``python`` is. Raises InterpreterError if it is no interpreter."""
    command = [python, "-c", _ASK]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_LONGEST)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InterpreterError(f"cannot start the interpreter {python}: {getattr(error, 'strerror', None) or error}") from error
    if done.returncode != 0 or not done.stdout.strip():
        raise InterpreterError(f"{python} is not a Python interpreter that works")
    version, *torch = done.stdout.split()
    return Interpreter(python, version, "".join(torch))
