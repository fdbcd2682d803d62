"""Which lines of one file a call runs."""

from __future__ import annotations

import os
import sys
from types import FrameType, TracebackType
from typing import Any


class Executed:
    """A context in which ``lines`` fills with those of the file ``path`` that run."""

    def __init__(self, path: str) -> None:
        self.lines: set[int] = set()
        self._path = os.path.realpath(path)
        self._is_own: dict[str, bool] = {}
        self._before: Any = None

    def __enter__(self) -> Executed:
        self._before = sys.gettrace()
        sys.settrace(self._on_call)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        sys.settrace(self._before)

    def _on_call(self, frame: FrameType, event: str, arg: object) -> Any:
        name = frame.f_code.co_filename
        if name not in self._is_own:
            self._is_own[name] = os.path.realpath(name) == self._path
        return self._on_line if self._is_own[name] else None

    def _on_line(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self.lines.add(frame.f_lineno)
        return self._on_line
