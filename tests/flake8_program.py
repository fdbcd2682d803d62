"""Runs flake8 as a user does, in a process of its own, and reads what it prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# What `write(..., torch=True)` puts before a text: two lines.
HEAD = "import torch\nfrom torch import nn\n"
ROOT = Path(__file__).resolve().parent.parent
_LINE = re.compile(r"(?P<path>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<code>[A-Z]+\d+) (?P<text>.*)")


@dataclass(frozen=True)
class Reported:
    """One line of flake8's output; ``path`` absolute, ``column`` 1-based."""

    path: Path
    line: int
    column: int
    code: str
    text: str


@dataclass(frozen=True)
class Run:
    """A finished flake8. ``stdout`` and ``stderr`` as printed, ``folder`` where it ran."""

    status: int
    stdout: str
    stderr: str
    folder: Path

    @property
    def reported(self) -> list[Reported]:
        """Every line of the output; fails if one is not a finding or if flake8 wrote to stderr."""
        assert self.stderr == "", self.stderr
        return [self._read(line) for line in self.stdout.splitlines()]

    @property
    def codes(self) -> list[tuple[int, str]]:
        """``(line, code)`` of everything reported."""
        return [(item.line, item.code) for item in self.reported]

    def _read(self, line: str) -> Reported:
        match = _LINE.fullmatch(line)
        assert match is not None, f"flake8 printed a line that is not a finding: {line!r}"
        path = (self.folder / match["path"]).resolve()
        return Reported(path, int(match["line"]), int(match["column"]), match["code"], match["text"])


def flake8(
    *arguments: str | Path,
    folder: Path = ROOT,
    select: str | None = "TTR",
    isolated: bool = True,
    stdin: str | bytes | None = None,
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = ("-m", "flake8"),
) -> Run:
    """Run flake8 in ``folder``. Its exit status is for the caller to check."""
    fixed = [*(["--isolated"] if isolated else []), *(["--select", select] if select else [])]
    given = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, *program, *fixed, *map(str, arguments)],
        cwd=folder,
        input=b"" if given is None else given,
        capture_output=True,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1", **(environment or {})},
    )
    return Run(done.returncode, done.stdout.decode(), done.stderr.decode(), folder)
