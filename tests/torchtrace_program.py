"""Runs ``torchtrace`` as a user does, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from flake8_program import ROOT


def torchtrace(
    *arguments: str | Path, folder: Path = ROOT, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in ``folder``. Its exit status is for the caller to check."""
    return subprocess.run(
        [sys.executable, "-m", "flake8_torchtrace", *map(str, arguments)],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})},
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """What a command says that was not carried out: one line."""
    assert (done.returncode, done.stdout) == (2, ""), done
    (line,) = done.stderr.splitlines()
    assert line.startswith("torchtrace: error: ")
    return line.removeprefix("torchtrace: error: ")
