"""The runs of a file as the matcher reads them, made from what the server sends."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..model import Family, Frame, Observation, ObservationKind, Span, Target


@dataclass(frozen=True)
class TargetRun:
    """One target of one run. ``traced``: lines of the file under test; ``points``: instructions, where a line may run in
    part. ``status``: as in ``tracing.run_target``.

    ``is_complete``: the tracer came to the end, if need be past what it refused;
    ``left_out`` are lines of statements that this left out as a whole.
    """

    status: str
    why: str = ""
    graphs: int = 0
    observations: tuple[Observation, ...] = ()
    traced: frozenset[int] = frozenset()
    is_complete: bool = False
    left_out: frozenset[int] = frozenset()
    points: frozenset[Span] = frozenset()
    ops: int = 0


@dataclass(frozen=True)
class Run:
    """One module with one set of inputs. ``reason`` says why it could not run; there are no targets then.

    ``points`` are the instructions that ran on lines of which a part may not run.
    ``dynamic`` holds the reports on sizes that vary, as ``dynamic.dynamic_reports`` gives them.
    ``replayed`` has what the programs of accepted exports lose, as ``replayed.replayed`` gives it.
    ``inputs`` says what they are where nobody wrote them; ``kind`` is that of such a unit. ``adds``: the run is for what others did not come to.
    ``subject`` is the class that the inputs are for, empty where that is not known (a ``make()`` that did not get to its module).
    """

    label: str
    name: str
    reason: str | None = None
    executed: frozenset[int] = frozenset()
    targets: dict[Target, TargetRun] = field(default_factory=dict)
    subject: str = ""
    points: frozenset[Span] = frozenset()
    dynamic: dict[str, Any] = field(default_factory=dict)
    replayed: dict[str, Any] = field(default_factory=dict)
    inputs: str = ""
    kind: str = ""
    adds: bool = False


def parse_run(raw: dict[str, Any]) -> Run:
    """A run from its plain form."""
    targets = {Target(key): parse_target_run(Target(key), value) for key, value in raw["targets"].items()}
    executed, subject = frozenset(raw["executed"]), raw.get("subject", "")
    told = raw.get("dynamic", {}), raw.get("replayed", {}), raw.get("inputs", ""), raw.get("kind", ""), raw.get("adds", False)
    return Run(raw["label"], raw["name"], raw["reason"], executed, targets, subject, _points(raw), *told)


def parse_target_run(target: Target, raw: dict[str, Any]) -> TargetRun:
    """The result dict of ``tracing.run_target``, with ``traced`` and ``abandoned`` narrowed to the lines of one file.

    What a default compile abandoned ran as plain Python. A refusal abandons everything: there the lines passed until
    then count.
    """
    traced = frozenset(raw.get("traced", ()))
    if target is Target.COMPILE:
        traced -= frozenset(raw.get("abandoned", ()))
    observations = tuple(parse_observation(target, item) for item in raw.get("observations", ()))
    return TargetRun(
        raw["status"], raw.get("why") or "", raw.get("graphs", 0), observations, traced, raw.get("is_complete", False),
        frozenset(raw.get("left_out", ())), _points(raw), raw.get("ops", 0),
    )  # fmt: skip


def _points(raw: dict[str, Any]) -> frozenset[Span]:
    return frozenset(Span(*point) for point in raw.get("points", ()))


def parse_observation(target: Target, raw: dict[str, Any]) -> Observation:
    """An observation from its plain form."""
    return Observation(
        target=target,
        kind=ObservationKind(raw["kind"]),
        reason=raw["reason"],
        family=_family(raw["family"]),
        stack=tuple(_frame(item) for item in raw["stack"]),
        exception=raw.get("exception") or "",
        gb_id=raw.get("gb_id"),
        cost=raw.get("cost"),
        crossing=tuple(raw.get("crossing", ())),
        tracer=raw.get("tracer") or "dynamo",
        subject=raw.get("subject"),
    )


def _family(key: str) -> Family:
    try:
        return Family(key)
    except ValueError:
        return Family.UNCLASSIFIED


def _frame(raw: dict[str, Any]) -> Frame:
    return Frame(raw["path"], raw["line"], raw["function"], raw.get("column"), raw.get("end_column"))
