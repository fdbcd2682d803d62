"""Which lines of watched files Python really runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

from .paths import Watch


@contextlib.contextmanager
def recording(watch: Watch) -> Iterator[set[tuple[str, int]]]:
    """The set that fills with ``(filename, line)`` of every line this thread runs in watched files."""
    visited: set[tuple[str, int]] = set()

    def on_line(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            visited.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame: FrameType, event: str, arg: object) -> Any:
        return None if watch.path(frame.f_code.co_filename) is None else on_line

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield visited
    finally:
        sys.settrace(before)
