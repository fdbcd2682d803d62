"""What torch made of a module, as text and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flake8_torchtrace.model import Observation, ObservationKind, Target
from flake8_torchtrace.reasons import show_sizes
from flake8_torchtrace.reasons.of import Accounted
from flake8_torchtrace.reasons.show import number
from flake8_torchtrace.verify.reasons import short_reason

_STACK_VALUE = "___stack"


def text(item: Accounted) -> Iterator[str]:
    """Lines for people."""
    yield f"{item.name or 'module'} ({item.label}) on torch {item.torch}"
    yield from (f"note: {note}" for note in item.notes)
    if item.reason is not None:
        yield f"  could not run: {item.reason}"
        return
    yield from _compiled(item)
    for target, result in item.targets.items():
        if target is not Target.COMPILE:
            yield from _refused(target, result, item.refusals(target))
    yield from show_sizes.text(item.dynamic)


def plain(item: Accounted) -> dict[str, Any]:
    """The same as JSON-serialisable data; paths as torch gave them."""
    breaks = [_plain_break(found) for found in item.breaks()]
    refusals = {
        target.value: {"status": result["status"], "why": result.get("why"), "refusals": [_plain_break(f) for f in item.refusals(target)]}
        for target, result in item.targets.items()
        if target is not Target.COMPILE
    }
    return {
        "module": item.name, "inputs": item.label, "torch": item.torch, "reason": item.reason, "notes": item.notes,
        "compile": {**_totals(item), "breaks": breaks, "frames": item.account.get("frames", [])}, "targets": refusals, "dynamic": item.dynamic,
    }  # fmt: skip


def _plain_break(found: Observation) -> dict[str, Any]:
    return {
        "kind": found.kind.value, "reason": found.reason, "gb_id": found.gb_id, "family": found.family.value, "fix": found.family.fix,
        "prospect": found.family.prospect, "tracer": found.tracer, "subject": found.subject, "cost": _cost(found),
        "crossing": list(found.crossing), "stack": [vars(frame) for frame in found.stack],
    }  # fmt: skip


def _totals(item: Accounted) -> dict[str, Any]:
    frames = item.account.get("frames", [])
    return {
        "graphs": sum(len(frame["graphs"]) for frame in frames),
        "operators": [count for frame in frames for count in frame["graphs"]],
        "guards": sum(len(frame["guards"]) for frame in frames),
        "recompiles": sum(frame["is_recompile"] for frame in frames),
        "by_reason": dict(Counter(found.title for found in item.breaks())),
        "explain": item.account.get("explain"),
        "counter": item.account.get("counter"),
        "differences": list(_differences(item)),
        "error": item.account.get("error"),
    }


def _compiled(item: Accounted) -> Iterator[str]:
    totals, breaks, frames = _totals(item), item.breaks(), item.account["frames"]
    yield (
        f"compile: {number(len(breaks), 'break')}, {number(len(frames), 'frame')}, {number(totals['graphs'], 'graph')}"
        f"{_operators(totals['operators'])}, {number(totals['guards'], 'guard')}, {number(totals['recompiles'], 'recompile')}"
    )
    if totals["error"]:
        yield f"  the compiled call raised {totals['error'].splitlines()[0]}"
    for found in breaks:
        yield f"  {_place(found)}: {short_reason(found)}"
        yield f"    {_cost(found)}; {found.family.words}: {found.family.fix}"
    if len(totals["by_reason"]) < len(breaks):
        yield "  by reason: " + "; ".join(f"{count} x {title}" for title, count in totals["by_reason"].items())
    for frame in frames:
        yield f"  {_frame(frame)}"
    yield from (f"  {sentence}" for sentence in _differences(item))


def _operators(counts: list[int]) -> str:
    return f" of {' + '.join(map(str, counts))} operators" if counts else ""


def _place(found: Observation) -> str:
    if not found.stack:
        return "somewhere"
    innermost = found.stack[-1]
    return f"{Path(innermost.path).name}:{innermost.line} {' -> '.join(frame.function for frame in found.stack)}"


def _cost(found: Observation) -> str:
    crossing = _values(list(found.crossing))
    if found.kind is ObservationKind.BREAK:
        split = found.cost or "splits the graph"
        return f"{split}; {crossing} crosses it" if len(found.crossing) == 1 else f"{split}; {crossing} cross it" if crossing else split
    return found.cost or "refuses the whole program"


def _values(names: list[str]) -> str:
    named = [name for name in names if not name.startswith(_STACK_VALUE)]
    unnamed = len(names) - len(named)
    if unnamed:
        named.append("an unnamed result" if unnamed == 1 else f"{unnamed} unnamed results")
    return ", ".join(named)


def _frame(frame: dict[str, Any]) -> str:
    where = f"line {frame['line']}" if frame["resumes_at"] is None else f"resumed after the break in line {frame['resumes_at']}"
    told = [f"{frame['function']}, {where}: {frame['outcome']}"]
    if frame["graphs"]:
        told.append("operators " + " + ".join(map(str, frame["graphs"])))
    if frame["guards"]:
        told.append(number(len(frame["guards"]), "guard"))
    if frame["crossing"]:
        told.append(f"guarded intermediate values: {_values(frame['crossing'])}")
    return "; ".join(told + (["recompiled"] if frame["is_recompile"] else []))


def _differences(item: Accounted) -> Iterator[str]:
    """Where torch's own counts are not the number of breaks, and why."""
    frames, breaks = item.account.get("frames", []), item.breaks()
    explain, counter = item.account.get("explain"), item.account.get("counter")
    if explain is None:
        yield "torch._dynamo.explain fails on this module"
    elif explain != len(breaks):
        yield f"torch._dynamo.explain counts {explain}, not {len(breaks)}: it takes the graphs less one, and {_why_explain(frames, breaks)}"
    if counter is not None and counter != len(breaks):
        yield f'counters["graph_break"] has {counter}, not {len(breaks)}: {_why_counter(breaks)}'


def _why_explain(frames: list[dict[str, Any]], breaks: list[Observation]) -> str:
    why = []
    lost = sum(found.kind is not ObservationKind.BREAK for found in breaks)
    empty = sum(frame["outcome"] in ("compiled", "empty") and not frame["graphs"] for frame in frames)
    if lost:
        why.append(f"no graph comes of {number(lost, 'frame')} given up")
    if empty:
        why.append(f"{number(empty, 'frame')} had no operator in it")
    callees = sum(frame["resumes_at"] is None and bool(frame["graphs"]) for frame in frames)
    if callees > 1:
        why.append(f"{callees} functions were compiled on their own, each with a graph to begin with")
    return ", ".join(why) or "a graph is not a break"


def _why_counter(breaks: list[Observation]) -> str:
    why = []
    if any(found.exception == "GraphCompileReason" or "branching" in found.reason for found in breaks):
        why.append("it leaves out branches on data")
    if any(found.kind is not ObservationKind.BREAK for found in breaks):
        why.append("it leaves out frames given up")
    return ", ".join(why) or "it counts what torch reports, the break of an inlined callee once for each frame it goes through"


def _refused(target: Target, result: dict[str, Any], refusals: list[Observation]) -> Iterator[str]:
    if result["status"] == "unusable":
        yield f"{target.value}: could not run: {result.get('why')}"
        return
    yield f"{target.value}: {'accepted' if not refusals else number(len(refusals), 'refusal')}"
    for found in refusals:
        named = f", naming {found.subject}" if found.subject else ""
        yield f"  {_place(found)}: {short_reason(found)}"
        yield f"    {_TRACERS[found.tracer]}{named}; {found.family.words}: {found.family.prospect}"


_TRACERS = {
    "dynamo": "dynamo spoke, reading the bytecode of that line",
    "fake tensor": "a fake tensor spoke, which has no data",
    "python": "Python spoke, running the code on fake tensors",
}
