"""Which files are the project's."""

from __future__ import annotations

import os
import sys
from types import FunctionType

from ..tracing.paths import real_path
from ..verify.digests import of_packages, of_python

_INSTALLED = "site-packages"


class Own:
    """The Python files below ``root`` that are not installed there, and those of the installed ``packages``."""

    def __init__(self, root: str, packages: tuple[str, ...]) -> None:
        self._root = os.path.join(os.path.realpath(root), "")
        self._packages = packages
        self._known: dict[str, bool] = {}

    def has(self, path: str) -> bool:
        """Whether the file ``path`` (real) is one of them."""
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def file_of(self, cls: type) -> str | None:
        """The file that defines ``cls``, if it is one of them."""
        name = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if not isinstance(name, str):
            name = next((value.__code__.co_filename for value in vars(cls).values() if isinstance(value, FunctionType)), None)
        if name is None:
            return None
        path = real_path(name)
        return path if self.has(path) else None

    def _find(self, path: str) -> bool:
        installed = next((folder for folder in (*of_packages(), *of_python()) if path.startswith(folder)), None)
        if installed is None:
            return path.startswith(self._root) and path.endswith(".py") and _INSTALLED not in path[len(self._root) :].split(os.sep)
        first = path[len(installed) :].split(os.sep)[0].removesuffix(".py")
        return first in self._packages
