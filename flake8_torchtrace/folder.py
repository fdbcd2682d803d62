"""The folder ``.torchtrace``: what this tool keeps between runs, and what nobody commits."""

from __future__ import annotations

import contextlib
import os

NAME = ".torchtrace"
VARIABLE = "TORCHTRACE_FOLDER"
"""The environment variable that names another folder to keep things in."""
STORE = "verdicts.sqlite3"


def make(path: str) -> None:
    """Make the folder ``path`` with a ``.gitignore`` of its own. Raises OSError."""
    os.makedirs(path, exist_ok=True)
    with contextlib.suppress(FileExistsError), open(os.path.join(path, ".gitignore"), "x", encoding="utf-8") as file:
        file.write("*\n")
