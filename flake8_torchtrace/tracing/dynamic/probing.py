"""Which dimensions of a module's inputs an export leaves open, and what decided about the others, when nobody asked for any."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..paths import Watch
from ..refusals import refusal, why_unusable
from . import sizes, specs
from .events import missing
from .exporting import Names, Traced, dims_of, range_of, shapes_of, traced
from .falsifying import is_false, near
from .leaves import Call, call_of
from .replaying import Build, Eager, places, replay
from .results import CauseDict, DimDict, DynamicResult, Place, ReplayDict


def probe(build: Build, is_watched: Callable[[str], bool], strict: bool) -> DynamicResult:
    """See ``flake8_torchtrace.tracing.dynamic.probe``."""
    watch = Watch(is_watched)
    function, args, kwargs = build()
    call = call_of(function, args, kwargs)
    spec = specs.auto(call.leaves())
    lacking = [*missing(), *filter(None, [specs.missing(spec)])]
    if lacking:
        return empty("missing", lacking[0])
    found = traced(function, call, spec, strict, watch)
    if found.error is not None:
        return refused(found, watch, strict)
    names, eager = Names(call, found.decided), Eager(build)
    dims = dims_of(found, spec, names)
    for item in dims:
        if item["state"] == "specialised":
            _try_others(item, call, eager)
    return {**empty("ok", None), "dims": dims, "guards": guards(found, names), "replays": _replays(found, names, eager)}


def empty(status: Any, why: str | None) -> DynamicResult:
    """A result that says nothing but ``status``."""
    return {"status": status, "why": why, "observations": [], "dims": [], "guards": [], "violated": [], "replays": []}


def refused(found: Traced, watch: Watch, strict: bool) -> DynamicResult:
    """What there is to say of an export that raised."""
    assert found.error is not None
    why = why_unusable(found.error)
    if why:
        return empty("unusable", why)
    target = "export-strict" if strict else "export-nonstrict"
    names = Names(found.call, found.decided)
    return {**empty("refused", None), "observations": [refusal("refusal", found.error, watch, target)], "guards": guards(found, names)}


def guards(found: Traced, names: Names) -> list[CauseDict]:
    """The conditions that torch put on the sizes of inputs, each once."""
    told: dict[str, CauseDict] = {}
    for guard in found.decided.guards if found.decided is not None else ():
        if any(symbol in names.dims for symbol in guard.expression.free_symbols):
            text = names.text(guard.expression)
            told.setdefault(text, {"text": text, "stack": guard.stack})
    return list(told.values())


def _try_others(item: DimDict, call: Call, eager: Eager) -> None:
    """Which other sizes the module itself takes in a dimension that export has fixed."""
    leaves = call.leaves()
    leaf = next(leaf for leaf in leaves if leaf.name == item["input"])
    for other in sizes.others(item["size"]):
        answers = (
            eager.answer(sizes.changed(leaves, group, other)) for group in sizes.groups(leaves, leaf.index, item["dim"])
        )
        if any(answer.error is None for answer in answers):
            item["accepts"].append(other)
            return
        item["refuses"].append(other)


def _replays(found: Traced, names: Names, eager: Eager) -> list[ReplayDict]:
    """The program at other sizes of each symbol that it has left open, and at sizes that the guards exclude."""
    shapes = shapes_of(found.program)
    hints = sizes.hints(shapes, found.call.leaves())
    causes: dict[tuple[Any, int], CauseDict] = {}
    for guard, expression in found.guards():
        excluded = near(expression, hints)
        if excluded is not None and (excluded not in causes or not causes[excluded]["stack"]):
            causes[excluded] = {"text": names.text(guard.expression), "stack": guard.stack}
    wanted: dict[tuple[Any, int], Place] = {}
    for symbol, hint in hints.items():
        for place, value in places(hint, *_range(found, symbol)):
            wanted.setdefault((symbol, value), place)
    wanted |= {key: "guarded" for key in causes}
    done = []
    for key, place in wanted.items():
        tried = sizes.solved(shapes, hints, dict([key]))
        if tried is not None:
            done.append(replay(found, names, eager, place, tried, causes.get(key)))
    return [*done, *_apart(found, names, eager)]


def _range(found: Traced, symbol: Any) -> tuple[int, int | None]:
    lower, upper = range_of(found.program, symbol)
    return lower or 0, upper


def _apart(found: Traced, names: Names, eager: Eager) -> Iterator[ReplayDict]:
    """The program with a size changed that export has tied to another, which stays."""
    leaves = found.call.leaves()
    given = {leaf.index: leaf.size for leaf in leaves}
    for symbol, event in {event.symbol: event for event in (found.decided.fixed if found.decided is not None else ())}.items():
        dims = names.dims.get(symbol, [])
        if not dims or not names.dims.keys() & found.resolved(event.target).free_symbols:
            continue
        cause: CauseDict = {"text": f"{names.text(symbol)} == {names.text(event.target)}", "stack": event.stack}
        index, dim = dims[0]
        for other in sizes.others(given[index][dim]):
            if not any(is_false(guard.expression, {symbol: other}) for guard, _ in found.guards()):  # refused for another reason
                yield replay(found, names, eager, "apart", sizes.changed(leaves, dims, other), cause)
