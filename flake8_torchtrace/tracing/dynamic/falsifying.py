"""Sizes for which a condition of torch does not hold."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

_FARTHEST = 64


def near(condition: Any, hints: Mapping[Any, int], upper: int | None = None) -> tuple[Any, int] | None:
    """A symbol and the value nearest to its hint, 2 or more, at which ``condition`` is false when the other symbols stay."""
    for symbol in sorted(condition.free_symbols & set(hints), key=str):
        others = {other: value for other, value in hints.items() if other != symbol}
        for value in _outwards(hints[symbol], upper):
            if is_false(condition, {**others, symbol: value}):
                return symbol, value
    return None


def inside(condition: Any, ranges: Mapping[Any, tuple[int, int]]) -> bool:
    """Whether ``condition`` is false for some values in ``ranges`` (inclusive) of its symbols."""
    free = sorted(condition.free_symbols & set(ranges), key=str)
    if not free:
        return False
    choices = [_samples(*ranges[symbol]) for symbol in free]
    return any(is_false(condition, dict(zip(free, values, strict=True))) for values in itertools.product(*choices))


def _samples(lower: int, upper: int) -> list[int]:
    if upper - lower <= _FARTHEST:
        return list(range(lower, upper + 1))
    return [*range(lower, lower + 17), (lower + upper) // 2, *range(upper - 16, upper + 1)]


def _outwards(hint: int, upper: int | None) -> Iterator[int]:
    for distance in range(1, max(hint, _FARTHEST)):
        for value in (hint + distance, hint - distance):
            if value >= 2 and (upper is None or value <= upper):
                yield value


def is_false(condition: Any, values: Mapping[Any, int]) -> bool:
    """Whether ``condition`` cannot hold where symbols have these values; False where that cannot be told, as of a division by zero."""
    try:
        return str(condition.subs(values)) == "False"
    except (ArithmeticError, TypeError, ValueError, AssertionError):
        return False
