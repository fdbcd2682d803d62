"""Whether the exported programs do what the module does, where export accepts it."""

from __future__ import annotations

from typing import Any

from ..model import EXPORT_TARGETS
from .tasks import Reply


def replayed(results: dict[str, Reply], compared: Reply) -> dict[str, Any]:
    """``faults`` (``tracing.shapes.Fault``) of each export that accepted the module, and ``problems``: why those of others are not known.

    ``results`` are the replies by target, ``compared`` is that to a replay.
    """
    exports = {target.value for target in EXPORT_TARGETS}
    accepted = [target for target, reply in results.items() if target in exports and reply["ok"] and reply["value"]["status"] == "ok"]
    if not compared["ok"]:
        return {"faults": {}, "problems": dict.fromkeys(accepted, compared["reason"])}
    faults, problems = compared["value"]["faults"], compared["value"]["problems"]
    missing = {target: "it was not compared" for target in accepted if target not in faults}
    return {"faults": faults, "problems": {**missing, **problems}}
