"""The facts of another interpreter, asked of that interpreter once in a session."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

from . import launch
from .facts import facts
from .home import Home

_LONGEST = 60
_ASK = """
import sys
package = type(sys)("flake8_torchtrace")
package.__path__ = [sys.argv[1]]
sys.modules["flake8_torchtrace"] = package
from flake8_torchtrace.verify.facts import facts
print(facts(*sys.argv[1:3]))
"""


def facts_of(home: Home) -> str:
    """The facts of the interpreter of a session; empty if it does not tell them, and then nothing can be known of earlier runs."""
    python = home.settings.python
    if python == sys.executable:
        return facts(launch.PACKAGE, home.working_directory)
    kept = home.path("facts")
    with contextlib.suppress(OSError), open(kept, encoding="utf-8") as file:
        return file.read()
    found = _ask(python, home.working_directory)
    own = f"{kept}.{os.getpid()}"
    with contextlib.suppress(OSError):
        with open(own, "w", encoding="utf-8") as file:
            file.write(found)
        os.replace(own, kept)
    return found


def _ask(python: str, working_directory: str) -> str:
    try:
        done = subprocess.run(
            [python, "-c", _ASK, launch.PACKAGE, working_directory],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=_LONGEST, cwd=working_directory,
            env=launch.environment(working_directory),
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
