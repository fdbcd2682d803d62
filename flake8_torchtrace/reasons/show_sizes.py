"""What torch makes of sizes that vary, as text: every dimension of every input, for each target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

_KINDS = {"declared": "as declared", "open": "left open"}
_EFFECTS = {
    "same": "as the module",
    "differs": "another result than the module",
    "refused": "refused, and the module takes it",
    "eager-refuses": "the module does not take it",
    "untried": "not tried",
}


def text(dynamic: dict[str, dict[str, Any]]) -> Iterator[str]:
    """Lines for people of the reports of ``verify.dynamic``."""
    for kind, reports in dynamic.items():
        for target, report in reports.items():
            yield f"sizes {_KINDS[kind]}, {target}:"
            yield from (f"  {line}" for line in _report(report))


def _report(report: dict[str, Any]) -> Iterator[str]:
    if "problem" in report:
        yield f"could not be asked: {report['problem']}"
        return
    if report["export"] is not None:
        yield from _export(report["export"])
    yield from map(_sequence, report["compile"] or ())
    if report["compile"] == []:
        yield "the module takes no other size"


def _export(export: dict[str, Any]) -> Iterator[str]:
    if export["status"] in ("missing", "unusable"):
        yield f"could not be asked: {export['why']}"
    for observation in export["observations"]:
        yield f"refused: {observation['reason'].strip().splitlines()[0]}"
    yield from (f"not kept: {_cause(cause)}" for cause in export["violated"])
    yield from map(_dim, export["dims"])
    yield from (f"condition: {_cause(cause)}" for cause in export["guards"])
    for replay in export["replays"]:
        sizes = ", ".join(f"{name} = {size}" for name, size in replay["sizes"].items())
        yield f"{sizes} ({replay['place']}): {_EFFECTS[replay['effect']]}{', and the program does' if _is_taken_alone(replay) else ''}"


def _is_taken_alone(replay: dict[str, Any]) -> bool:
    return bool(replay["effect"] == "eager-refuses" and replay["accepted"])


def _dim(dim: dict[str, Any]) -> str:
    name = f"{dim['input']}.shape[{dim['dim']}]"
    if dim["state"] == "static":
        return f"{name}: {dim['size']}, not asked to vary"
    if dim["state"] == "symbolic":
        same = "" if dim["expression"] == name else f" as {dim['expression']}"
        return f"{name}: stays open{same}, {_range(dim)}"
    why = f" by {_cause(dim['cause'])}" if dim["cause"] else ", since 0 and 1 always are" if dim["size"] in (0, 1) else ""
    if not dim["accepts"]:
        return f"{name}: fixed at {dim['size']}{why}; the module takes none of {', '.join(map(str, dim['refuses'])) or 'the others'}"
    silently = f"torch says: {dim['told']}" if dim["told"] else "nobody is told"
    return f"{name}: fixed at {dim['size']}{why}; the module takes {', '.join(map(str, dim['accepts']))}; {silently}"


def _range(dim: dict[str, Any]) -> str:
    lower = dim["lower"] or 0
    return f"{lower} and more" if dim["upper"] is None else f"{lower} to {dim['upper']}"


def _cause(cause: dict[str, Any]) -> str:
    if not cause["stack"]:
        return f"{cause['text']}, torch does not say where"
    innermost = cause["stack"][-1]
    return f"{cause['text']} at {Path(innermost['path']).name}:{innermost['line']} {innermost['function']}"


def _sequence(sequence: dict[str, Any]) -> str:
    calls = ", ".join(f"{next(iter(call['sizes'].values()))} {'compiled' if call['compiled'] else 'not'}" for call in sequence["calls"])
    causes = "".join(f"; {_cause(cause)}" for cause in sequence["causes"])
    limit = f"; the limit of {sequence['limit']} was reached" if sequence["hit_limit"] else ""
    return f"{', '.join(sequence['varied'])}: {calls}{causes}{limit}"
