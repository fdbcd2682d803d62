"""Being told of every module class that the program makes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

OnClass = Callable[[type], None]
_NAME = "__init_subclass__"


class Classes:
    """Tells ``on_class`` of the subclasses of ``torch.nn.Module``: of those that are there, and of each later one as it is made."""

    def __init__(self, on_class: OnClass) -> None:
        self._on_class = on_class
        self._base: Any = None

    def begin(self, module: ModuleType) -> None:
        """Given ``torch.nn.modules.module`` once it is imported."""
        base = module.Module
        if _NAME in vars(base):  # then torch has a use for it
            return
        on_class = self._on_class

        def made(cls: Any, /, **arguments: Any) -> None:
            super(base, cls).__init_subclass__(**arguments)
            on_class(cls)

        setattr(base, _NAME, classmethod(made))
        self._base = base
        for cls in _subclasses(base):
            on_class(cls)

    def end(self) -> None:
        """Be told no more."""
        if self._base is not None:
            delattr(self._base, _NAME)
            self._base = None


def _subclasses(base: type) -> Iterator[type]:
    pending, seen = [base], {base}
    while pending:
        found: list[type] = type.__subclasses__(pending.pop())
        for cls in found:
            if cls not in seen:
                seen.add(cls)
                pending.append(cls)
                yield cls
