"""File names as code objects and torch's messages give them, and the paths we report."""

from __future__ import annotations

import functools
import importlib.util
import linecache
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from .shapes import Lines, Points

if TYPE_CHECKING:
    from .lines import Passed


def real_path(filename: str) -> str:
    """``filename`` absolute and without symbolic links; ``<string>``, ``<frozen os>`` and the like are left alone."""
    if filename.startswith("<"):
        return filename
    return os.path.realpath(filename)


@functools.cache
def torch_folder() -> str:
    """The real path of the installed torch's directory, found without importing it."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("torch is not installed in this interpreter", name="torch")
    return os.path.dirname(real_path(spec.origin))


class Watch:
    """The files the caller cares for, asked once for each file name."""

    def __init__(self, is_watched: Callable[[str], bool]) -> None:
        self._is_watched = is_watched
        self._known: dict[str, str | None] = {}

    def path(self, filename: str) -> str | None:
        """The real path of ``filename`` if it is watched, else None."""
        try:
            return self._known[filename]
        except KeyError:
            path = real_path(filename)
            found = None if path.startswith("<") or not self._is_watched(path) else path
            self._known[filename] = found
            return found

    def lines(self, visited: Iterable[Passed]) -> Lines:
        """The sorted lines of what was passed, for each watched file."""
        found: dict[str, set[int]] = {}
        for item in visited:
            path = self.path(item.filename)
            if path is not None:
                found.setdefault(path, set()).add(item.line)
        return {path: sorted(found[path]) for path in sorted(found)}

    def points(self, visited: Iterable[Passed]) -> Points:
        """The sorted positions of the instructions in what was passed, for each watched file."""
        found: dict[str, set[tuple[int, int, int, int]]] = {}
        for item in visited:
            path = self.path(item.filename)
            if path is None or item.column is None or item.end_line is None or item.end_column is None:
                continue
            columns = _character(path, item.line, item.column), _character(path, item.end_line, item.end_column)
            found.setdefault(path, set()).add((item.line, columns[0], item.end_line, columns[1]))
        return {path: sorted(found[path]) for path in sorted(found)}


def _character(path: str, line: int, offset: int) -> int:
    return len(linecache.getline(path, line).encode()[:offset].decode(errors="ignore"))
