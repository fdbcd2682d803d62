"""Which lines of watched files Python really runs."""

from __future__ import annotations

import sys
from types import FrameType, TracebackType
from typing import Any

from .paths import Watch


class LineRecorder:
    """A context manager that collects ``(filename, line)`` of every line run in watched files by this thread."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._before: Any = None
        self.visited: set[tuple[str, int]] = set()

    def __enter__(self) -> LineRecorder:
        self._before = sys.gettrace()
        sys.settrace(self._on_call)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        sys.settrace(self._before)

    def _on_call(self, frame: FrameType, event: str, arg: object) -> Any:
        if self._watch.path(frame.f_code.co_filename) is None:
            return None
        return self._on_line

    def _on_line(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self.visited.add((frame.f_code.co_filename, frame.f_lineno))
        return self._on_line
