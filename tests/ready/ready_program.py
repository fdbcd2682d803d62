"""Runs ``torchtrace ready`` in a folder and reads its JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from torchtrace_program import torchtrace

_MARK = re.compile(r"# BREAKS ([a-z0-9=-]+)")


def ready(folder: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit status and what is said of each promise."""
    done = torchtrace("ready", "--format", "json", "--quiet", *arguments, folder=folder)
    assert done.stderr == "", done.stderr
    return done.returncode, json.loads(done.stdout)


def marked(folder: Path) -> set[tuple[str, int, str]]:
    """Where comments say that promises break: file, line and promise."""
    return {
        (path.name, number, promise)
        for path in sorted(folder.glob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for promise in _MARK.findall(line)
    }
