"""Asks torch what becomes of sizes that vary, where the inputs declare some or the user wants to know of all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from ..model import Target
from .tasks import Reply, Spec

# By whether the dimensions were declared: a report of ``tracing.dynamic.run`` for each target, or ``{"problem": sentence}``
Reports = dict[str, dict[str, dict[str, Any]]]
_ASKED = (Target.EXPORT_STRICT.value, Target.EXPORT_NONSTRICT.value, Target.COMPILE.value)


async def dynamic_reports(
    unit: dict[str, str], targets: list[str], is_declared: bool, is_wanted: bool, run: Callable[[Spec], Awaitable[Reply]]
) -> Reports:
    """What each of ``targets`` makes of the sizes that the inputs declare, and if that is wanted of all sizes."""
    kinds = [kind for kind, is_asked in (("declared", is_declared), ("open", is_wanted)) if is_asked]
    asked = [(kind, target) for kind in kinds for target in _ASKED if target in targets]
    specs = ({"do": "dynamic", "target": target, "unit": unit, "declared": kind == "declared"} for kind, target in asked)
    replies = await asyncio.gather(*map(run, specs))
    found: Reports = {kind: {} for kind in kinds}
    for (kind, target), reply in zip(asked, replies, strict=True):
        found[kind][target] = reply["value"] if reply["ok"] else {"problem": reply["reason"]}
    return found
