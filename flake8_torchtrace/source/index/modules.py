"""Which file a dotted name lies in."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

_SOURCE_FOLDERS = ("src", "lib")


class Modules:
    """The modules of a project by name. Every file has one name of its own, its *identity*, and may be imported by further names: in a project
    without ``__init__.py`` files by its path from the root, or by its bare name from a file beside it."""

    def __init__(self, files: Iterable[tuple[str, str]]) -> None:
        """``files``: ``(path, name)`` for each; the path with slashes, relative to the project; the name as `names.module_name` gives it."""
        named: dict[str, list[str]] = {}
        paths: list[str] = []
        for path, name in files:
            paths.append(path)
            named.setdefault(name, []).append(path)
        self._path_of: dict[str, str] = {}
        self._identity: dict[str, str] = {}
        for name, owners in named.items():
            for path in owners:
                identity = name if len(owners) == 1 and name else path_name(path)
                self._identity[path] = identity
                self._path_of[identity] = path
        self._others: dict[str, list[str]] = {name: owners for name, owners in named.items() if len(owners) > 1}
        for path in paths:
            for name in _names_by_path(path):
                if name not in self._path_of and path not in self._others.setdefault(name, []):
                    self._others[name].append(path)
        self.tops = frozenset(name.partition(".")[0] for name in (*self._path_of, *self._others))
        """The first parts of all names: what starts otherwise lies outside the project."""

    def __contains__(self, identity: str) -> bool:
        return identity in self._path_of

    def path(self, identity: str) -> str:
        """The path of a module."""
        return self._path_of[identity]

    def identity(self, path: str) -> str | None:
        """The name that stands for the file ``path``; None if it is not of the project."""
        return self._identity.get(path)

    def covers(self, dotted: str) -> bool:
        """False only if ``dotted`` surely lies outside."""
        return dotted.partition(".")[0] in self.tops

    def asker(self, dotted: str, module: str) -> str:
        """``module`` if where ``dotted`` leads depends on who asks, else empty."""
        return module if any(len(self._others.get(name, ())) > 1 for name in _prefixes(dotted)) else ""

    @property
    def ambiguous(self) -> list[str]:
        """The names that several files go by."""
        return sorted(name for name, owners in self._others.items() if len(owners) > 1)

    def locate(self, dotted: str, asker: str) -> tuple[str, str] | None:
        """``(module, rest)`` for a dotted name as the module ``asker`` writes it: the module that holds it and the name inside."""
        for name in _prefixes(dotted):
            found = self._find(name, asker)
            if found is not None:
                return found, dotted[len(name) + 1 :]
        return None

    def _find(self, name: str, asker: str) -> str | None:
        if name in self._path_of:
            return name
        owners = self._others.get(name)
        if not owners:
            return None
        if len(owners) > 1:
            near = self._path_of.get(asker, "")
            owners = sorted(owners, key=lambda path: -len(posixpath.commonprefix([path, near])))
        return self._identity[owners[0]]


def _prefixes(dotted: str) -> Iterator[str]:
    """``a.b.c``, ``a.b``, ``a``."""
    end = len(dotted)
    while end > 0:
        yield dotted[:end]
        end = dotted.rfind(".", 0, end)


def path_name(path: str) -> str:
    """The dotted name of a file by its path from the root."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _names_by_path(path: str) -> list[str]:
    first, slash, rest = path.partition("/")
    return [path_name(path), path_name(rest)] if slash and first in _SOURCE_FOLDERS else [path_name(path)]
