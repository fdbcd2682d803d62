"""The dictionaries that leave this package: plain, JSON-serialisable, the same on every torch."""

from __future__ import annotations

from typing import Literal, TypedDict

Status = Literal["ok", "broke", "refused", "crashed", "unusable"]
Kind = Literal["break", "skipped-frame", "refusal", "crash"]
Lines = dict[str, list[int]]


class FrameDict(TypedDict):
    """One frame. ``line`` is 1-based; columns are 0-based, count characters, and are None where torch gives none."""

    path: str
    line: int
    function: str
    column: int | None
    end_column: int | None


class ObservationDict(TypedDict):
    """One break, refusal or crash. ``reason`` is torch's own text; ``stack`` has the outermost frame first."""

    kind: Kind
    reason: str
    gb_id: str | None
    gb_type: str | None
    family: str
    exception: str
    stack: list[FrameDict]
    cost: str | None


class EagerResult(TypedDict):
    """What one eager call did."""

    ok: bool
    error: str | None
    executed: Lines


class TargetResult(TypedDict):
    """What one tracer did.

    ``ok``: accepted without a break; ``broke``: compiled with at least one break; ``refused``: fullgraph or export
    raised; ``crashed``: a default compile raised instead of breaking; ``unusable``: the failure says nothing about the
    code, ``why`` tells. ``frames`` counts the frames dynamo tried to compile, ``ops`` the operators in all captured
    graphs. ``traced`` holds the watched lines the tracer passed; if the status is ``broke``, ``abandoned`` holds those
    of them that it passed only in an attempt it then gave up.
    """

    status: Status
    why: str | None
    graphs: int
    frames: int
    ops: int
    observations: list[ObservationDict]
    traced: Lines
    abandoned: Lines
