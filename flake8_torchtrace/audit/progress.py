"""A line on a terminal that says how far an audit is."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import TextIO

_PAUSE = 0.1


class Progress:
    """Writes to ``stream`` if that is a terminal, and then only on one line that it takes away in the end."""

    def __init__(self, total: int, is_quiet: bool, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._is_on = not is_quiet and not os.environ.get("CI") and self._stream.isatty() and os.environ.get("TERM") != "dumb"
        self._total = total
        self._done = 0
        self._findings = 0
        self._told = 0.0

    def step(self, path: str, findings: int) -> None:
        """One file more is done."""
        self._done += 1
        self._findings += findings
        if self._is_on and (time.monotonic() - self._told > _PAUSE or self._done == self._total):
            self._told = time.monotonic()
            self._write(f"{self._bar()} {self._done}/{self._total} files, {self._findings} findings  {path}")

    def close(self) -> None:
        """Take the line away."""
        if self._is_on:
            self._write("")

    def _bar(self) -> str:
        full = 20 * self._done // max(self._total, 1)
        return f"[{'#' * full}{'.' * (20 - full)}]"

    def _write(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r\x1b[K{text[:width]}")
        self._stream.flush()
