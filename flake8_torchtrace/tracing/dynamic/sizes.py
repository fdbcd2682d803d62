"""Other sizes to try: for one dimension, for those that go together, and for the symbols of an exported program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .leaves import Leaf, Size

Dim = tuple[int, int]  # index of the leaf, dimension


def others(size: int) -> list[int]:
    """Sizes that a module which takes ``size`` may take too: a multiple first, then its neighbours."""
    return [other for other in dict.fromkeys((2 * size, size + 1, size - 1)) if other > 1 and other != size]


def groups(leaves: Sequence[Leaf], index: int, dim: int) -> Iterator[list[Dim]]:
    """The dimension alone, then with those that may have to go with it: same place and size, same size anywhere."""
    size = {leaf.index: leaf.size for leaf in leaves}[index][dim]
    alike = [(leaf.index, at) for leaf in leaves for at, other in enumerate(leaf.size) if other == size]
    same_place = [item for item in alike if item[1] == dim]
    seen: list[list[Dim]] = []
    for group in ([(index, dim)], same_place, alike):
        if group not in seen:
            seen.append(group)
            yield group


def changed(leaves: Sequence[Leaf], dims: Sequence[Dim], size: int) -> dict[int, Size]:
    """The sizes of the leaves whose ``dims`` become ``size``."""
    found = {leaf.index: list(leaf.size) for leaf in leaves if any(index == leaf.index for index, _ in dims)}
    for index, dim in dims:
        found[index][dim] = size
    return {index: tuple(value) for index, value in found.items()}


def solved(shapes: Mapping[int, Sequence[Any]], hints: Mapping[Any, int], values: Mapping[Any, int]) -> dict[int, Size] | None:
    """The sizes of the leaves when symbols have ``values``, and by ``hints`` where not. None if that makes no sizes."""
    numbers = {**hints, **values}
    try:
        return {
            index: tuple(size if isinstance(size, int) else int(size.subs(numbers)) for size in shape)
            for index, shape in shapes.items()
            if any(not isinstance(size, int) for size in shape)
        }
    except (ArithmeticError, TypeError, ValueError, AssertionError):
        return None


def symbols(shapes: Mapping[int, Sequence[Any]]) -> list[Any]:
    """The symbols in the sizes, in order of their first use."""
    free = [sorted(size.free_symbols, key=str) for shape in shapes.values() for size in shape if not isinstance(size, int)]
    return list(dict.fromkeys(symbol for found in free for symbol in found))


def hints(shapes: Mapping[int, Sequence[Any]], leaves: Sequence[Leaf]) -> dict[Any, int]:
    """The value of each symbol in the example, read from a dimension that is the symbol itself."""
    sizes = {leaf.index: leaf.size for leaf in leaves}
    found: dict[Any, int] = {}
    for index, shape in shapes.items():
        for dim, size in enumerate(shape):
            if not isinstance(size, int) and size.is_Symbol:
                found.setdefault(size, sizes[index][dim])
    return found
