"""Whether the exported program does what the module does, where export accepts it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from ..model import Target
from .tasks import Reply, Spec

_NON_STRICT = Target.EXPORT_NONSTRICT.value


async def replayed(
    unit: dict[str, Any], executed: dict[str, list[int]], replies: dict[str, Reply], run: Callable[[Spec], Awaitable[Reply]]
) -> dict[str, Any]:
    """``faults`` (``tracing.shapes.Fault``) of the non-strict export, or the ``problem`` why they are not known."""
    reply = replies.get(_NON_STRICT)
    if reply is None or not reply["ok"] or reply["value"]["status"] != "ok":
        return {"faults": [], "problem": "it is not exported"}
    traced = {_NON_STRICT: reply["value"]["traced"]}
    compared = await run({"do": "replay", "unit": unit, "targets": [_NON_STRICT], "executed": executed, "traced": traced})
    if not compared["ok"]:
        return {"faults": [], "problem": compared["reason"]}
    value = compared["value"]
    return {"faults": value["faults"].get(_NON_STRICT, []), "problem": next(iter(value["problems"]), None)}
