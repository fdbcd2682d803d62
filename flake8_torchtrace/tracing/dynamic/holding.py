"""Whether an export keeps the dynamic dimensions that were asked for: at both ends of their ranges, between, and outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..paths import Watch
from . import sizes, specs
from .events import missing
from .exporting import Names, Traced, dims_of, range_of, shapes_of, traced
from .falsifying import inside
from .leaves import Size, call_of
from .probing import empty, guards, refused
from .replaying import Build, Eager, places, replay
from .results import CauseDict, DynamicResult, Place, ReplayDict
from .specs import Entry, Spec

_FARTHEST = 2**16


def hold(build: Build, is_watched: Callable[[str], bool], strict: bool, spec: Spec) -> DynamicResult:
    """See ``flake8_torchtrace.tracing.dynamic.hold``."""
    watch = Watch(is_watched)
    lacking = [*missing(), *filter(None, [specs.missing(spec)])]
    if lacking:
        return empty("missing", lacking[0])
    function, args, kwargs = build()
    call = call_of(function, args, kwargs)
    found = traced(function, call, spec, strict, watch)
    names = Names(call, found.decided)
    if found.error is not None:
        return {**refused(found, watch, strict), "violated": _violated(found, names, spec)}
    replays = list(_replays(found, names, Eager(build), spec))
    return {**empty("ok", None), "dims": dims_of(found, spec, names), "guards": guards(found, names), "replays": replays}


def _violated(found: Traced, names: Names, spec: Spec) -> list[CauseDict]:
    """The conditions that do not hold in all of the ranges that were asked for, and what made a number of an asked dimension."""
    asked = dict(_asked(names, spec))
    roots = _Roots()
    as_asked = {symbol: roots.expression(symbol, entry) for symbol, entry in asked.items()}
    told: dict[str, CauseDict] = {}
    for event in found.decided.fixed if found.decided is not None else ():
        same = event.target.xreplace(as_asked) == as_asked.get(event.symbol)
        if event.symbol in asked and not same:
            text = f"{names.text(event.symbol)} == {names.text(event.target)}"
            told.setdefault(text, {"text": text, "stack": event.stack})
    for guard in found.decided.guards if found.decided is not None else ():
        if inside(guard.expression.xreplace(as_asked), roots.ranges):
            text = names.text(guard.expression)
            told.setdefault(text, {"text": text, "stack": guard.stack})
    return list(told.values())


class _Roots:
    """One symbol for each named dimension, in place of those that torch made for its uses."""

    def __init__(self) -> None:
        self._symbols: dict[str, Any] = {}
        self.ranges: dict[Any, tuple[int, int]] = {}

    def expression(self, symbol: Any, entry: Entry) -> Any:
        """What a use of a dimension is, in terms of its root."""
        root = self._symbols.setdefault(entry.get("name", str(symbol)), symbol)
        lower, upper = entry.get("min"), entry.get("max")
        self.ranges[root] = (max(2, lower or 0), upper if upper is not None else _FARTHEST)
        return entry.get("times", 1) * root + entry.get("plus", 0)


def _asked(names: Names, spec: Spec) -> Iterator[tuple[Any, Entry]]:
    for symbol, uses in names.dims.items():
        for index, dim in uses:
            entry = spec.get(index, {}).get(dim)
            if entry is not None and entry.get("kind") != "auto":
                yield symbol, entry


def _replays(found: Traced, names: Names, eager: Eager, spec: Spec) -> Iterator[ReplayDict]:
    given = {leaf.index: leaf.size for leaf in found.call.leaves()}
    by_name: dict[str, list[tuple[int, int, Entry]]] = {}
    for index, dims in spec.items():
        for dim, entry in dims.items():
            by_name.setdefault(entry.get("name") or f"{index}.{dim}", []).append((index, dim, entry))
    for uses in by_name.values():
        if "name" in uses[0][2]:
            for place, value in _named_places(uses, given):
                yield replay(found, names, eager, place, _named_sizes(uses, given, value))
    yield from _open_replays(found, names, eager, spec)


def _named_places(uses: list[tuple[int, int, Entry]], given: Mapping[int, Size]) -> list[tuple[Place, int]]:
    """Values of a named dimension; where it is used, its size is the value, or derived from it."""
    index, dim, entry = uses[0]
    hint = (given[index][dim] - entry.get("plus", 0)) // entry.get("times", 1)
    lower, upper = entry.get("min"), entry.get("max")
    return places(hint, 1 if lower is None else lower, upper)


def _named_sizes(uses: list[tuple[int, int, Entry]], given: Mapping[int, Size], value: int) -> dict[int, Size]:
    made = {index: list(given[index]) for index, _, _ in uses}
    for index, dim, entry in uses:
        made[index][dim] = entry.get("times", 1) * value + entry.get("plus", 0)
    return {index: tuple(size) for index, size in made.items()}


def _open_replays(found: Traced, names: Names, eager: Eager, spec: Spec) -> Iterator[ReplayDict]:
    """Dimensions that were left to torch: at the sizes that torch says it leaves open."""
    shapes = shapes_of(found.program)
    hints = sizes.hints(shapes, found.call.leaves())
    left = {
        size
        for index, dims in spec.items()
        for dim, entry in dims.items()
        if "name" not in entry
        for size in [shapes.get(index, {dim: 0})[dim]]
        if size in hints
    }
    for symbol in sorted(left, key=str):
        lower, upper = range_of(found.program, symbol)
        for place, value in places(hints[symbol], lower or 0, upper):
            tried = sizes.solved(shapes, hints, {symbol: value})
            if tried is not None:
                yield replay(found, names, eager, place, tried)
