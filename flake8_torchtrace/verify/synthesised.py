"""Inputs from nothing, for the classes whose code no declared inputs run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from .tasks import Reply, Spec

Runner = Callable[[Spec], Awaitable[Reply]]
Unit = dict[str, Any]
KIND = "synthesised"
_SHARE_OF_FURTHER = 0.5  # of the time for a first search


async def synthesised(
    path: str, synthesis: dict[str, Any], eagers: Sequence[tuple[Unit, Reply]], run: Runner
) -> tuple[list[Unit], list[dict[str, Any]]]:
    """Units for the classes of ``synthesis["owned"]`` of which a function with findings was entered by none of ``eagers``;

    and for those that could not be built, a run that says why.
    """
    if any(unit["kind"] == "make" and not eager["ok"] for unit, eager in eagers):
        return [], []  # which class it is for is not known, and what somebody declared is not replaced because it fails
    owned: dict[str, list[list[int]]] = synthesis["owned"]
    entered = [line for _, eager in eagers if eager["ok"] for line in eager["value"]["executed"].get(path, ())]
    served = {_subject(unit, eager) for unit, eager in eagers if unit["kind"] != "convention" or (eager["ok"] and eager["value"]["ok"])}
    classes = [name for name, spans in owned.items() if name not in served and not all(_is_in(span, entered) for span in spans)]
    specs = [{"do": "synthesise", "path": path, "class": name, "seconds": synthesis["seconds"]} for name in classes]
    replies = await asyncio.gather(*map(run, specs))
    units: list[Unit] = []
    failures = []
    for name, reply in zip(classes, replies, strict=True):
        value = reply["value"] if reply["ok"] else {"reason": reply["reason"]}
        if value.get("reason"):
            failures.append(_failure(name, value["reason"]))
            continue
        same = next((unit for unit in units if unit["source"] == value["source"]), None)
        if same is not None:
            same["serves"].append(name)
        else:
            units.append({**_unit(path, value["subject"], value), "draft": value["draft"], "serves": [name]})
    return units, failures


async def further(path: str, synthesis: dict[str, Any], eagers: Sequence[tuple[Unit, Reply]], run: Runner) -> list[Unit]:
    """More units for what was built from nothing, where none of ``eagers`` comes to lines with findings in its classes.

    They only add: what cannot be had leaves things as they are.
    """
    executed = [line for _, eager in eagers if eager["ok"] for line in eager["value"]["executed"].get(path, ())]
    lines: dict[str, list[list[int]]] = synthesis.get("lines", {})
    specs = []
    for unit in (unit for unit, eager in eagers if unit["kind"] == KIND and eager["ok"] and eager["value"]["ok"]):
        missing = [span for name in unit["serves"] for span in lines.get(name, ()) if not _is_in(span, executed)]
        if missing:
            asked = {"path": path, "class": unit["class"], "draft": unit["draft"]}
            specs.append({"do": "further", **asked, "missing": missing, "seconds": synthesis["seconds"] * _SHARE_OF_FURTHER})
    replies = await asyncio.gather(*map(run, specs))
    return [
        {**_unit(path, spec["class"], value), "adds": True}
        for spec, reply in zip(specs, replies, strict=True)
        for value in (reply["value"] if reply["ok"] else ())
    ]


def _unit(path: str, name: str, value: dict[str, Any]) -> Unit:
    return {"kind": KIND, "path": path, "class": name, "source": value["source"], "used": f"synthesised: {value['used']}"}


def _subject(unit: Unit, eager: Reply) -> str:
    """The class that declared inputs are for: they are not replaced where they fail."""
    name = eager["value"]["name"] if eager["ok"] else unit.get("class", "")
    return str(name)


def _is_in(span: Sequence[int], lines: Sequence[int]) -> bool:
    return any(span[0] <= line <= span[1] for line in lines)


def _failure(name: str, reason: str) -> dict[str, Any]:
    return {
        "label": f"synthesised inputs for {name}", "name": name, "subject": name, "reason": reason, "executed": [], "points": [],
        "targets": {}, "kind": KIND, "inputs": "",
    }  # fmt: skip
