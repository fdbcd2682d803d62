"""What the stages of a unit showed that later ones rest on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..model import EXPORT_TARGETS
from .tasks import Reply, Spec

Known = dict[str, Any]
_EXPORTS = frozenset(target.value for target in EXPORT_TARGETS)


def nothing_known() -> Known:
    """``executed``: the lines of an eager call, by file; ``traced``: for each export that accepted the module, those that it passed."""
    return {"executed": {}, "traced": {}}


def known_of(done: Iterable[tuple[Spec, Reply]]) -> Known:
    """What stages showed by their replies."""
    known = nothing_known()
    for stage, reply in done:
        learn(known, stage, reply)
    return known


def learn(known: Known, stage: Spec, reply: Reply) -> None:
    """Add what one more stage showed."""
    value = reply["value"] if reply["ok"] else {}
    if stage["do"] == "eager":
        known["executed"] = value.get("executed", {})
    elif stage.get("target") in _EXPORTS and value.get("status") == "ok":
        known["traced"][stage["target"]] = value["traced"]


def with_known(stage: Spec, known: Known) -> Spec:
    """``stage``, with what it rests on if it is a replay."""
    return {**stage, "targets": sorted(known["traced"]), **known} if stage["do"] == "replay" else stage
