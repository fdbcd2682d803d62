"""Which files a run of user code rests on: what it imported and read, what it looked for in vain, with their contents.

Runs in a child, with nothing but the standard library.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

from .digests import digest, of_packages, of_python

Digests = dict[str, str]
"""By path: what tells contents apart, empty where there is no such file."""

_NEVER = ("/proc/", "/sys/", "/dev/")
_FLAGS_OF_WRITING = os.O_WRONLY | os.O_RDWR


class Touched:
    """Watches this process from now on; an audit hook cannot be taken away."""

    def __init__(self) -> None:
        self._start = time.time_ns()
        self._before = set(sys.modules)
        self._read: set[str] = set()
        self._written: set[str] = set()
        self._imported: set[str] = set()
        self._is_over = False
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and not self._is_over:
            path, mode, flags = args
            if isinstance(path, (str, bytes)):
                writes = (isinstance(flags, int) and flags & _FLAGS_OF_WRITING) or (isinstance(mode, str) and set(mode) & set("wax+"))
                (self._written if writes else self._read).add(os.path.abspath(os.fsdecode(path)))
        elif event == "import" and not self._is_over:
            self._imported.add(args[0])

    def result(self) -> Digests | None:
        """What the run rests on; None if a file was changed while it ran."""
        self._is_over = True
        own = _own_folders()
        wanted = {os.path.realpath(path) for path in self._read if not _is_compiled(path)} | set(_module_files(self._before))
        wanted |= set(_candidates(self._imported, own))
        wanted -= {os.path.realpath(path) for path in self._written}
        found: Digests = {}
        covered = _Covered()
        for path in wanted:
            if covered.has(path) or os.path.isdir(path):
                continue
            found[path] = digest(path)
            if found[path] and os.stat(path).st_mtime_ns >= self._start:
                return None
        return found


def _module_files(before: Iterable[str]) -> Iterator[str]:
    """The files of what was imported since; what the server has is torch's own, and told by the names of what is installed."""
    for name in set(sys.modules).difference(before):
        path = getattr(sys.modules[name], "__file__", None)
        if isinstance(path, str):
            yield os.path.realpath(path)


def _own_folders() -> list[str]:
    """The entries of ``sys.path`` that hold no installed packages: there a new file may take an import over."""
    installed = (*of_python(), *of_packages())
    entries = dict.fromkeys(os.path.realpath(entry) for entry in sys.path if isinstance(entry, str) and not entry.endswith(".zip"))
    return [entry for entry in entries if not f"{entry}{os.sep}".startswith(installed)]


def _candidates(names: Iterable[str], folders: Iterable[str]) -> Iterator[str]:
    """Where the modules ``names`` are, or would be, in ``folders``."""
    for folder in folders:
        for name in names:
            parts = name.split(".")
            if len(parts) > 1 and not os.path.exists(os.path.join(folder, parts[0])):
                continue
            place = os.path.join(folder, *parts)
            yield f"{place}.py"
            yield os.path.join(place, "__init__.py")


def _is_compiled(path: str) -> bool:
    return path.endswith((".pyc", ".pyo"))


class _Covered:
    """Tells of paths whether the versions of Python, torch and this package say all of them."""

    def __init__(self) -> None:
        torch = getattr(sys.modules.get("torch"), "__file__", None)
        package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
        own = [package, *([os.path.dirname(os.path.realpath(torch))] if isinstance(torch, str) else [])]
        self._folders = (*_NEVER, *(f"{folder}{os.sep}" for folder in own))
        self._python, self._packages = of_python(), of_packages()

    def has(self, path: str) -> bool:
        """Whether it says all of ``path``."""
        is_of_python = path.startswith(self._python) and not path.startswith(self._packages)
        return is_of_python or path.startswith(self._folders)


def merged(parts: Iterable[Digests | None]) -> Digests | None:
    """What several runs rest on together; None if that of one is not known or they do not agree."""
    found: Digests = {}
    for part in parts:
        if part is None or any(found.get(path, value) != value for path, value in part.items()):
            return None
        found.update(part)
    return found
