"""Which line of the user's broke a promise: the innermost of torch's stack that belongs to the project or to the class's package."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from flake8_torchtrace.inputs.mistakes import shown
from flake8_torchtrace.model import Frame, Span
from flake8_torchtrace.ready.collect import Promised

_INSTALLED = ("site-packages", "dist-packages")


@dataclass(frozen=True)
class Spot:
    """A place in a file; ``path`` is a real one."""

    path: str
    span: Span

    def __str__(self) -> str:
        return f"{shown(self.path)}:{self.span.line}"


class Blame:
    """``project`` is the folder whose files are the user's."""

    def __init__(self, project: str) -> None:
        self._project = os.path.realpath(project)

    def at_class(self, promised: Promised) -> Spot:
        """The class itself, where no line is known."""
        return Spot(promised.place.path, promised.place.outline.span)

    def spot(self, promised: Promised, stack: Sequence[Frame]) -> Spot:
        """The line that broke a promise."""
        for frame in reversed(stack):
            if self._is_own(promised, frame.path):
                column = frame.column or 0
                return Spot(os.path.realpath(frame.path), Span(frame.line, column, frame.line, frame.end_column or column))
        return self.at_class(promised)

    def of_line(self, promised: Promised, path: str, line: int) -> Spot:
        """The line ``line`` of ``path``, if that is the user's."""
        return self.spot(promised, [Frame(path, line, "")])

    def _is_own(self, promised: Promised, path: str) -> bool:
        path = os.path.realpath(path)
        if not os.path.isfile(path):
            return False
        if path == promised.place.path or path.startswith(_package(promised) + os.sep):
            return True
        return path.startswith(self._project + os.sep) and not any(part in path.split(os.sep) for part in _INSTALLED)


def _package(promised: Promised) -> str:
    """The folder of the top package of the class; of a class in no package its file."""
    depth = len(promised.name.split(".")) - len(promised.place.outline.name.split("."))
    path = promised.place.path
    if os.path.basename(path) == "__init__.py":
        depth += 1
    for _ in range(depth - 1):
        path = os.path.dirname(path)
    return path
