"""The parameters of a constructor or a ``forward``, with their annotations as objects where those can be had."""

from __future__ import annotations

import inspect
import sys
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MISSING = inspect.Parameter.empty
_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_ONLY)


@dataclass(frozen=True)
class Parameter:
    """``annotation`` is an object, a text that could not be resolved, or MISSING, like ``default``."""

    name: str
    default: Any
    annotation: Any
    is_positional_only: bool = False

    @property
    def is_required(self) -> bool:
        """Whether a call must give it."""
        return self.default is MISSING


@dataclass(frozen=True)
class Signature:
    """``extra``: the name of ``*args``, if there is one; ``takes_any``: whether further keywords are taken."""

    parameters: tuple[Parameter, ...]
    extra: str = ""
    takes_any: bool = False

    def find(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((parameter for parameter in self.parameters if parameter.name == name), None)


def signature(function: Callable[..., Any]) -> Signature:
    """The signature of a function, a bound method or a class. Raises ValueError or TypeError where there is none."""
    raw = inspect.signature(function)
    hints = _hints(function)
    found, extra, takes_any = [], "", False
    for parameter in raw.parameters.values():
        if parameter.kind in _NAMED:
            annotation = hints.get(parameter.name, parameter.annotation)
            found.append(Parameter(parameter.name, parameter.default, annotation, parameter.kind is inspect.Parameter.POSITIONAL_ONLY))
        elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            extra = parameter.name
        else:
            takes_any = True
    return Signature(tuple(found), extra, takes_any)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    plain: Any = function.__init__ if isinstance(function, type) else inspect.unwrap(function)  # type: ignore[misc]
    plain = inspect.unwrap(getattr(plain, "__func__", plain))
    try:
        return typing.get_type_hints(plain, include_extras=True)
    except Exception:  # one annotation that cannot be resolved must not hide the others
        return _one_by_one(plain)


def _one_by_one(function: Any) -> dict[str, Any]:
    names = {**vars(typing), **getattr(function, "__globals__", {})}
    found = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        if not isinstance(annotation, str):
            found[name] = annotation
            continue
        try:
            found[name] = eval(annotation, names)
        except Exception:
            found[name] = annotation
    return found


def module_of(owner: Any) -> Any:
    """The module that defines a class or a function."""
    return sys.modules.get(getattr(owner, "__module__", ""))
