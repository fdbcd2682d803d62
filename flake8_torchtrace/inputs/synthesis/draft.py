"""A construction and a call that may work: tried by the search, and written as Python source."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from .signatures import Signature
from .values import Made, Name, Value, names_in, told_arguments


@dataclass(frozen=True)
class Draft:
    """``module`` makes the module, ``arguments`` are those of its call by name; ``order`` has the names of positional ones.

    ``trains``: in training mode.
    """

    module: Made
    arguments: Mapping[str, Value] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    is_called: bool = True
    trains: bool = False

    @property
    def text(self) -> str:
        """The whole as one expression: two drafts with the same text are the same."""
        return f"{self.module.text}{'.train()' if self.trains else ''}, {self.args_text}, {self.kwargs_text}"

    @property
    def args_text(self) -> str:
        """The positional arguments as a tuple expression."""
        given = [self.arguments[name].text for name in self.positional]
        return f"({', '.join(given)}{',' if len(given) == 1 else ''})"

    @property
    def kwargs_text(self) -> str:
        """The keyword arguments as a dict expression."""
        given = [f"{name!r}: {value.text}" for name, value in self.arguments.items() if name not in self.positional]
        return "{" + ", ".join(given) + "}"

    @property
    def positional(self) -> tuple[str, ...]:
        """The arguments that are given by position: those before the first that is left out."""
        found = []
        for name in self.order:
            if name not in self.arguments:
                break
            found.append(name)
        return tuple(found)

    @property
    def told(self) -> str:
        """``dim=32, depth=2; x = float32[2, 3, 32, 32]``."""
        parts = [told_arguments(self.module.arguments), told_arguments(self.arguments)]
        mode = ["in training mode"] if self.trains else []
        return "; ".join([*(part for part in parts if part), *mode]) or "no arguments"

    def with_input(self, name: str, value: Value) -> Draft:
        """The same with one argument of the call set."""
        return replace(self, arguments={**self.arguments, name: value})

    def without_input(self, name: str) -> Draft:
        """The same without one argument of the call."""
        return replace(self, arguments={key: value for key, value in self.arguments.items() if key != name})

    def with_module(self, module: Made) -> Draft:
        """The same with another construction."""
        return replace(self, module=module)

    def names(self) -> list[Name]:
        """Every name that the source needs, once."""
        found = [*names_in(self.module), *(name for value in self.arguments.values() for name in names_in(value))]
        return list(dict.fromkeys(found))


def ordered(signature: Signature) -> tuple[str, ...]:
    """The names that a call gives by position: those without a default, up to the first keyword-only one."""
    return tuple(parameter.name for parameter in signature.parameters if parameter.is_required or parameter.is_positional_only)


def namespace(names: list[Name]) -> dict[str, Any]:
    """What the source of a draft reads, by the name it reads it under. Raises ImportError and AttributeError."""
    import torch

    found: dict[str, Any] = {"torch": torch}
    for name in names:
        if name.module != "torch" and not name.name.startswith("torch."):
            top = name.name.partition(".")[0]
            found[top] = getattr(importlib.import_module(name.module), top)
    return found


def source(draft: Draft, own_module: str, own_import: str | None = None, function: str = "make") -> str:
    """The source of a function that makes the module in its mode and its arguments.

    Names of ``own_module`` are read from the globals, or imported from ``own_import`` where that is given.
    """
    imports: dict[str, set[str]] = {}
    for name in draft.names():
        top = name.name.partition(".")[0]
        if name.module == own_module:
            if own_import is not None:
                imports.setdefault(own_import, set()).add(top)
        elif top != "torch":
            imports.setdefault(name.module, set()).add(top)
    lines = [f"    from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items())]
    mode = ".train()" if draft.trains else ".eval()"
    made = f"{draft.module.text}{mode}" if draft.is_called else draft.module.text
    return "\n".join([f"def {function}():", "    import torch", *lines, "", f"    return {made}, {draft.args_text}, {draft.kwargs_text}", ""])
