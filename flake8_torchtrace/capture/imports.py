"""Something to do once a module has been imported, at once if it has been."""

from __future__ import annotations

import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

Action = Callable[[ModuleType], None]


class AfterImport:
    """A finder that finds nothing itself: it lets the others find, and adds to what loading does."""

    def __init__(self) -> None:
        self._actions: dict[str, Action] = {}

    def do(self, name: str, action: Action) -> None:
        """Do ``action`` with the module ``name`` once it is there."""
        module = sys.modules.get(name)
        spec = getattr(module, "__spec__", None)
        if module is not None and not getattr(spec, "_initializing", False):
            action(module)
            return
        self._actions[name] = action
        if self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def end(self) -> None:
        """Do nothing any more."""
        self._actions.clear()
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        """See ``importlib.abc.MetaPathFinder``."""
        if name not in self._actions:
            return None
        for finder in sys.meta_path:
            if finder is self:
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self._add_to(spec.loader, name)
                return spec
        return None

    def _add_to(self, loader: Any, name: str) -> None:
        original = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            original(module)
            action = self._actions.pop(name, None)
            if not self._actions:
                self.end()
            if action is not None:
                action(module)

        loader.exec_module = exec_module
