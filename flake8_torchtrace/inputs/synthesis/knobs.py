"""The arguments of a construction, also of the calls nested in it, and their places."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from typing import Any

from .signatures import Signature, signature
from .values import Literal, Made, Value


def parts(made: Made, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Made]]:
    """The calls nested in ``made``, the innermost first, each with its place."""
    for name, value in made.arguments.items():
        if isinstance(value, Made):
            yield from parts(value, (*way, name))
            yield (*way, name), value


def class_of(made: Made) -> Any:
    """What ``made`` calls; None where it is not to be found."""
    found: Any = sys.modules.get(made.callee.module)
    for part in made.callee.name.split("."):
        found = getattr(found, part, None)
    return found


def signature_of(made: Made) -> Signature:
    """What it takes."""
    return _signature(class_of(made))


@functools.cache
def _signature(called: Any) -> Signature:
    try:
        return signature(called)
    except (TypeError, ValueError):
        return Signature(())


def knobs(made: Made, taken: Signature) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The plain arguments, given or by default, with their places."""
    for name, value in made.arguments.items():
        if isinstance(value, Literal):
            yield (name,), value.value
        elif isinstance(value, Made):
            yield from (((name, *way), plain) for way, plain in knobs(value, signature_of(value)))
    for parameter in taken.parameters:
        if parameter.name not in made.arguments and isinstance(parameter.default, (int, float, str)):
            yield (parameter.name,), parameter.default


def changed(made: Made, way: tuple[str, ...], value: Value) -> Made:
    """``made`` with another value at a place."""
    inner = made.arguments.get(way[0])
    if len(way) > 1 and isinstance(inner, Made):
        return made.with_argument(way[0], changed(inner, way[1:], value))
    return made.with_argument(way[0], value)
