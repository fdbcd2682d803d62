"""What a report on sizes (``tracing.dynamic``) has to tell: one item for each thing that is not as the module's user would have it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ..model import Target

Report = dict[str, Any]

NAMES = {
    "TTR701": "size-fixed",
    "TTR702": "size-excluded",
    "TTR703": "sizes-tied",
    "TTR704": "dynamic-shapes-refused",
    "TTR705": "differs-at-another-size",
    "TTR706": "size-outside-taken",
    "TTR707": "size-compiled-again",
    "TTR708": "size-zero-or-one",
    "TTR709": "size-not-taken",
}


@dataclass(frozen=True)
class Told:
    """``message`` says what it is, the same for all targets; ``detail`` what this target made of it. ``stack`` is empty if no line is known."""

    code: str
    message: str
    target: Target
    detail: str
    stack: tuple[dict[str, Any], ...]


def told(target: Target, report: Report, is_declared: bool, is_refused_anyway: bool = False) -> Iterator[Told]:
    """What there is to tell of the report of one target. ``is_refused_anyway``: this export takes no sizes at all."""
    entry = (report["entry"],) if report["entry"] else ()
    export = report["export"]
    if export is not None:
        if export["status"] == "refused" and (is_declared or not is_refused_anyway):
            yield from _refused(target, export)
        yield from _dims(target, export["dims"], entry)
        yield from _replays(target, export["replays"], entry, is_declared)
    for sequence in report["compile"] or ():
        yield from _compiled(target, sequence)


def problem(report: Report) -> str | None:
    """Why a report says nothing, if it does not."""
    if "problem" in report:
        return str(report["problem"])
    export = report["export"]
    return str(export["why"]) if export is not None and export["status"] in ("missing", "unusable") else None


def _refused(target: Target, export: Report) -> Iterator[Told]:
    observation = export["observations"][-1]
    reason = _first_line(observation["reason"])
    message = "export refuses here what it was asked to leave open"
    for cause in export["violated"]:
        yield Told("TTR704", f"{message}: it takes `{cause['text']}`", target, reason, tuple(cause["stack"]))
    if not export["violated"]:
        yield Told("TTR704", message, target, f"{observation['exception']}: {reason}", tuple(observation["stack"]))


def _dims(target: Target, dims: Iterable[Report], entry: tuple[Any, ...]) -> Iterator[Told]:
    for dim in dims:
        if dim["state"] != "specialised" or not dim["accepts"]:
            continue
        name, size = f"{dim['input']}.shape[{dim['dim']}]", dim["size"]
        others = ", ".join(map(str, dim["accepts"]))
        silently = "torch only logs it" if dim["told"] else "nobody is told"
        if dim["cause"] is not None:
            message = f"`{name}` is fixed at {size} here, and the module takes other sizes ({others})"
            yield Told("TTR701", message, target, f"{dim['cause']['text']}: {silently}", tuple(dim["cause"]["stack"]) or entry)
        elif size in (0, 1):
            message = f"`{name}` is {size} in the example, which fixes it; the module takes other sizes ({others}): give an example of 2 or more"
            yield Told("TTR708", message, target, f"specialised: {silently}", entry)
        else:
            message = f"`{name}` is fixed at {size}, and the module takes other sizes ({others})"
            yield Told("TTR701", message, target, f"specialised, torch does not say where: {silently}", entry)


def _replays(target: Target, replays: Iterable[Report], entry: tuple[Any, ...], is_declared: bool) -> Iterator[Told]:
    """One item for each code and set of sizes, or cause where there is one: further sizes of it say the same."""
    known: set[tuple[str, str]] = set()
    for replay in replays:
        item = _replay(target, replay, entry, is_declared)
        about = f"{list(replay['sizes'])} {'' if item is None or item.code == 'TTR705' else replay['place']}"
        if replay["cause"] is not None:
            about = replay["cause"]["text"]
        if item is not None and (item.code, about) not in known:
            known.add((item.code, about))
            yield item


def _replay(target: Target, replay: Report, entry: tuple[Any, ...], is_declared: bool) -> Told | None:
    sizes = ", ".join(f"`{name}` = {size}" for name, size in replay["sizes"].items())
    cause, effect, why = replay["cause"], replay["effect"], _first_line(replay["why"] or "")
    is_inside, stack = replay["place"] in ("min", "max", "inside"), tuple(cause["stack"]) if cause else ()
    if is_declared and not is_inside:
        if not replay["accepted"]:
            return None
        told = {"same": "it gives the module's result", "differs": f"it gives another result than the module ({why})"}
        message = f"the exported program takes {sizes}, outside of the range that was declared"
        return Told("TTR706", message, target, told.get(effect, "it gives a result where the module fails"), entry)
    if is_declared and effect == "eager-refuses":
        return Told("TTR709", f"the module itself does not take {sizes}, inside of the range that was declared", target, why, entry)
    if effect == "differs":
        names = ", ".join(f"`{name}`" for name in replay["sizes"])
        message = f"the exported program gives another result than the module for other sizes of {names}"
        return Told("TTR705", message, target, f"{sizes}: {why}", stack or entry)
    if effect == "refused" and replay["place"] == "apart":
        message = f"sizes are tied here that the module takes apart: {sizes} with the others as they are"
        return Told("TTR703", message, target, cause["text"], stack or entry)
    if effect == "refused" and (is_inside or stack):
        names = ", ".join(f"`{name}`" for name in replay["sizes"])
        numbers = "/".join(dict.fromkeys(map(str, replay["sizes"].values())))
        message = f"the exported program does not take all sizes of {names} that the module takes"
        return Told("TTR702", message, target, f"refuses {numbers}: {cause['text'] if cause else why}", stack or entry)
    return None


def _compiled(target: Target, sequence: Report) -> Iterator[Told]:
    calls, varied = sequence["calls"], ", ".join(f"`{name}`" for name in sequence["varied"])
    again = sum(1 for call in calls[2:] if call["compiled"])
    if not again:
        return
    end = f", until the limit of {sequence['limit']} is reached and it runs uncompiled" if sequence["hit_limit"] else ""
    for cause in sequence["causes"]:
        message = f"{again} of {len(calls) - 2} further sizes of {varied} are compiled again because of this"
        yield Told("TTR707", message, target, f"{cause['text']}{end}", tuple(cause["stack"]))


def _first_line(text: str) -> str:
    return next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
