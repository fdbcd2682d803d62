"""A compiled module called with one size after another: what is compiled again, why, and whether that ends."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

from ..eager import describe, outcome
from ..paths import Watch
from ..recorder import FrameRun, Recorder
from ..seams import listening as listening_to_frames
from ..stacks import frame
from ..targets import lazily_compiled
from . import sizes
from .events import Events, listening
from .exporting import Names
from .falsifying import is_false
from .leaves import Call, call_of
from .replaying import Build, Eager, first_line
from .results import CauseDict, CompiledCall, RecompileResult
from .sizes import Dim
from .specs import Spec

_USUAL = 3  # torch compiles for one size, then for any, and a third shows whether that was so
_IN_VAIN = 5
_COMPILE_ID = re.compile(r"^(?:\[?\d+/)+\d+\]?: ")


def recompiles(build: Build, is_watched: Callable[[str], bool], spec: Spec | None) -> list[RecompileResult]:
    """See ``flake8_torchtrace.tracing.dynamic.recompiles``."""
    function, args, kwargs = build()
    call, eager, watch = call_of(function, args, kwargs), Eager(build), Watch(is_watched)
    groups = _named(spec, call) if spec is not None else _alike(call, eager)
    return [_sequence(build, dims, _other_sizes(call, dims, eager, limits), watch) for dims, limits in groups]


Limits = tuple[int, int | None]


def _named(spec: Spec, call: Call) -> Iterator[tuple[list[Dim], Limits]]:
    """The dimensions that were asked for, each alone; those derived from another are left to the exports."""
    given = {leaf.index: leaf.size for leaf in call.leaves()}
    groups: dict[str, list[Dim]] = {}
    limits: dict[str, Limits] = {}
    for index, dims in spec.items():
        for dim, entry in dims.items():
            if entry.get("times", 1) == 1 and not entry.get("plus") and given[index][dim] > 1:
                name = entry.get("name") or f"{index}.{dim}"
                groups.setdefault(name, []).append((index, dim))
                limits[name] = (entry.get("min") or 2, entry.get("max"))
    for name, group in groups.items():
        yield group, limits[name]


def _alike(call: Call, eager: Eager) -> Iterator[tuple[list[Dim], Limits]]:
    """Dimensions that the module takes in another size, with those that have to go with them."""
    leaves, covered = call.leaves(), set[Dim]()
    for leaf in leaves:
        for dim, size in enumerate(leaf.size):
            if (leaf.index, dim) in covered or size < 2:
                continue
            for group in sizes.groups(leaves, leaf.index, dim):
                tried = (eager.answer(sizes.changed(leaves, group, other)) for other in sizes.others(size))
                if any(answer.error is None for answer in tried):
                    covered |= set(group)
                    yield group, (2, None)
                    break


def _other_sizes(call: Call, dims: list[Dim], eager: Eager, limits: Limits) -> Iterator[int]:
    """Sizes that the module takes, until it has refused several in a row."""
    leaves = call.leaves()
    hint = next(leaf.size[dims[0][1]] for leaf in leaves if leaf.index == dims[0][0])
    in_vain = 0
    for size in _candidates(hint):
        if size < limits[0] or (limits[1] is not None and size > limits[1]):
            continue
        if eager.answer(sizes.changed(leaves, dims, size)).error is None:
            in_vain = 0
            yield size
        else:
            in_vain += 1
            if in_vain == _IN_VAIN:
                return


def _candidates(hint: int) -> Iterator[int]:
    seen = {hint}
    for step in range(1, 33):
        for size in ((step + 1) * hint, hint + step, hint - step):
            if size > 1 and size not in seen:
                seen.add(size)
                yield size


def _sequence(build: Build, dims: list[Dim], other: Iterator[int], watch: Watch) -> RecompileResult:
    import torch

    torch._dynamo.reset()
    function, args, kwargs = build()
    compiled, call = lazily_compiled(function, fullgraph=False), call_of(function, args, kwargs)
    leaves, limit = call.leaves(), _limit()
    names = {leaf.index: leaf.name for leaf in leaves}
    events, counted, found = Events(watch), Counter[CodeType](), list[CompiledCall]()
    causes: dict[str, CauseDict] = {}
    for size in _with_example(leaves, dims, other):
        resized = call.resized(sizes.changed(leaves, dims, size))
        told = {f"{names[index]}.shape[{dim}]": size for index, dim in dims}
        made, frames = _called(compiled, resized, events, told)
        found.append(made)
        counted.update(run.code for run in frames if run.code is not None)
        if len(found) > 2 and made["compiled"]:
            for cause in _causes(events, call, dims, size) or _functions(frames, made, watch):
                causes.setdefault(cause["text"], cause)
        is_over = made["error"] is not None or max(counted.values(), default=0) > limit
        if is_over or (len(found) > _USUAL and not made["compiled"]):
            break
    return {
        "varied": [f"{names[index]}.shape[{dim}]" for index, dim in dims],
        "calls": found,
        "limit": limit,
        "hit_limit": max(counted.values(), default=0) >= limit,
        "causes": list(causes.values()),
    }


def _with_example(leaves: list[Any], dims: list[Dim], other: Iterator[int]) -> Iterator[int]:
    index, dim = dims[0]
    yield next(leaf.size[dim] for leaf in leaves if leaf.index == index)
    yield from other


def _called(compiled: Any, call: Call, events: Events, told: dict[str, int]) -> tuple[CompiledCall, list[FrameRun]]:
    import torch
    from torch._dynamo.utils import guard_failures

    recorder, before = Recorder(), {code: len(reasons) for code, reasons in guard_failures.items()}
    torch.manual_seed(0)
    with listening_to_frames(recorder), listening(events):
        error = outcome(lambda: compiled(*call.args, **call.kwargs))
    frames = [run for run in recorder.runs if run.outcome == "code"]
    reasons = [str(reason) for code, known in guard_failures.items() for reason in known[before.get(code, 0) :][:1]]
    return {
        "sizes": told,
        "compiled": len(frames),
        "reasons": [_worded(reason) for reason in reasons],
        "error": None if error is None else first_line(describe(error)),
    }, frames


def _worded(reason: str) -> str:
    """A failed guard without the number of the compilation before it and the code behind it."""
    return _COMPILE_ID.sub("", first_line(reason)).partition("  # ")[0].strip()


def _causes(events: Events, call: Call, dims: list[Dim], size: int) -> list[CauseDict]:
    """What torch decided about the varied sizes in earlier compilations, and ``size`` does not keep."""
    found: dict[str, CauseDict] = {}
    for environment in events.environments:
        names = Names(call, environment)
        varied = [symbol for symbol, places in names.dims.items() if set(places) & set(dims)]
        for event in environment.fixed:
            if event.symbol in varied and not event.target.free_symbols and event.target != size:
                text = f"{names.text(event.symbol)} is fixed"
                found.setdefault(text, {"text": text, "stack": event.stack})
        for guard in environment.guards:
            if is_false(guard.expression, dict.fromkeys(varied, size)):
                text = names.text(guard.expression)
                found.setdefault(text, {"text": text, "stack": guard.stack})
    fixed = [cause for cause in found.values() if cause["text"].endswith(" is fixed")]
    return fixed or list(found.values())


def _functions(frames: list[FrameRun], made: CompiledCall, watch: Watch) -> list[CauseDict]:
    """The functions that were compiled again, where torch tells no line: with its own reason."""
    text = "; ".join(dict.fromkeys(made["reasons"])) or "compiled again"
    codes = {run.code for run in frames if run.code is not None and watch.path(run.code.co_filename)}
    return [
        {"text": text, "stack": [frame(code.co_filename, code.co_firstlineno, code.co_name)]}
        for code in sorted(codes, key=lambda code: code.co_firstlineno)[:1]
    ]


def _limit() -> int:
    import torch._dynamo.config as config

    return int(getattr(config, "recompile_limit", None) or config.cache_size_limit)
