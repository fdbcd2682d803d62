"""File names as code objects and torch's messages give them, and the paths we report."""

from __future__ import annotations

import functools
import importlib.util
import os
from collections.abc import Callable, Iterable

from .shapes import Lines


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

    def lines(self, visited: Iterable[tuple[str, int]]) -> Lines:
        """``(filename, line)`` pairs as sorted lines for each watched file."""
        found: dict[str, set[int]] = {}
        for filename, line in visited:
            path = self.path(filename)
            if path is not None:
                found.setdefault(path, set()).add(line)
        return {path: sorted(found[path]) for path in sorted(found)}
