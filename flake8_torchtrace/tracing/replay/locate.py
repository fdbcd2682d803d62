"""Where an exported program starts to compute something else than the code did: values compared line by line."""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..paths import Watch
from .callers import Place, innermost

_FILE = re.compile(r'File "(?P<path>[^"]+)", line (?P<line>\d+), in (?P<function>\S+)')
_DATA = re.compile(r"\.data\b[^=]*=[^=]|\.data\.\w+_\(|set_\(")
Values = list[tuple[Place, float]]


def place_of(node: Any, watch: Watch) -> Place | None:
    """The innermost watched line of a node's ``stack_trace``."""
    found = None
    for match in _FILE.finditer(node.meta.get("stack_trace") or node.stack_trace or ""):
        path = watch.path(match["path"])
        if path is not None:
            found = Place(path, int(match["line"]), match["function"])
    return found


def values_of_call(call: Callable[[], object], watch: Watch) -> Values:
    """A number for every tensor that each watched line makes, while ``call`` runs eagerly."""
    import sys

    from torch.utils._python_dispatch import TorchDispatchMode

    found: Values = []

    class Recording(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            result = func(*args, **(kwargs or {}))
            place = innermost(sys._getframe(1), watch)
            if place is not None:
                found.extend((place, number) for number in _numbers(result))
            return result

    with Recording():  # type: ignore[no-untyped-call]
        call()
    return found


def values_of_program(program: Any, args: Sequence[Any], kwargs: Mapping[str, Any], watch: Watch) -> tuple[Values, Place | None]:
    """The same of the nodes of an exported program, and the line of the node that raised, if one did."""
    import torch
    from torch.utils._pytree import tree_leaves

    found: Values = []
    last: list[Place | None] = [None]

    class Recording(torch.fx.Interpreter):
        def run_node(self, n: Any) -> Any:
            place = place_of(n, watch)
            last[0] = place or last[0]
            result = super().run_node(n)
            if place is not None:
                found.extend((place, number) for number in _numbers(result))
            return result

    try:
        Recording(program).run(*tree_leaves((tuple(args), dict(kwargs))), enable_io_processing=False)
    except Exception:
        return found, last[0]
    return found, None


def first_difference(eager: Values, program: Values) -> Place | None:
    """The line of the first value of the program that the code did not make there, or one that wrote under it before."""
    made: dict[tuple[str, int], list[float]] = {}
    for place, number in eager:
        made.setdefault((place.path, place.line), []).append(number)
    for place, number in program:
        if not any(_is_close(number, other) for other in made.get((place.path, place.line), ())):
            return _writer_before(place) or place
    return None


def _writer_before(place: Place) -> Place | None:
    """A line shortly before that writes to a tensor where torch does not see it."""
    for line in range(place.line, max(place.line - 4, 0), -1):
        if _DATA.search(linecache.getline(place.path, line)):
            return place._replace(line=line)
    return None


def _is_close(one: float, other: float) -> bool:
    return one == other or (one != one and other != other) or abs(one - other) <= 1e-4 * max(1.0, abs(one))


def _numbers(value: Any) -> Iterator[float]:
    import torch
    from torch.utils._pytree import tree_leaves

    for item in tree_leaves(value):
        if isinstance(item, torch.Tensor) and item.layout == torch.strided and not item.is_complex() and not item.is_nested:
            yield float(item.detach().to(torch.float64).sum())
