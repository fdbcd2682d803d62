"""What became of a module: for each target what torch made of it, where it was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from flake8_torchtrace.model import COMPILE_TARGETS, EXPORT_TARGETS, Target

BREAKING = ("broke", "refused", "crashed")


class Standing(str, Enum):
    """What may be said of a module; several may be true at once."""

    WHOLE_GRAPH = "whole-graph"
    """Compiled without a break."""
    EXPORT_READY = "export-ready"
    """Accepted by every kind of export that was asked for."""
    BROKEN = "broken"
    """Torch broke or refused it for some target."""
    UNKNOWN = "unknown"
    """Torch was not asked, or could not run it."""


@dataclass(frozen=True)
class TargetState:
    """``status``: ``ok``, ``broke``, ``refused``, ``crashed`` or ``unusable``, which ``why`` explains; with the graphs and the operators captured."""

    status: str
    graphs: int = 0
    ops: int = 0
    why: str = ""


@dataclass(frozen=True)
class Module:
    """A class with a forward, or what the inputs of a file build. ``line`` and ``end_line`` are 0 where it is defined elsewhere.

    ``reason`` says why torch could not be asked of it.
    """

    path: str
    name: str
    line: int = 0
    end_line: int = 0
    states: Mapping[Target, TargetState] = field(default_factory=dict)
    reason: str = ""

    @property
    def standing(self) -> frozenset[Standing]:
        """All that is true of it."""
        told = {target: state.status for target, state in self.states.items() if state.status != "unusable"}
        if not told:
            return frozenset({Standing.UNKNOWN})
        found = {Standing.BROKEN} if any(status in BREAKING for status in told.values()) else set[Standing]()
        asked = COMPILE_TARGETS & self.states.keys()
        if asked and all(told.get(target) == "ok" for target in asked):
            found.add(Standing.WHOLE_GRAPH)
        exports = EXPORT_TARGETS & self.states.keys()
        if exports and all(told.get(target) == "ok" for target in exports):
            found.add(Standing.EXPORT_READY)
        return frozenset(found or {Standing.UNKNOWN})
