"""Short ways to write findings, runs and observations, and to ask the matcher about them."""

from __future__ import annotations

from typing import Any

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Finding, Outcome, Span, Target, Verdict
from flake8_torchtrace.verify.match import Matched, match
from flake8_torchtrace.verify.results import parse_run
from flake8_torchtrace.verify.statements import Statements

PATH = "/project/net.py"
LIBRARY = "/env/lib/python3.11/site-packages/library/core.py"


def finding(
    source: str,
    line: int,
    text: str,
    *,
    code: str = "TTR103",
    family: Family = Family.VALUE,
    owner: str | None = "Net",
    related: tuple[int, ...] = (),
) -> Finding:
    """A finding on the first ``text`` of ``line``; ``related`` are lines of statements."""
    statements = Statements(source)
    column = source.splitlines()[line - 1].index(text)
    return Finding(
        code=code,
        rule="rule",
        path=PATH,
        span=Span(line, column, line, column + len(text)),
        statement=statements.at(line, column),
        message="a claim",
        confidence=Confidence.LIKELY,
        family=family,
        targets=ALL_TARGETS,
        function="forward",
        owner=owner,
        related=tuple(statements.at(other) for other in related),
    )


def frame(line: int, column: int | None = None, end_column: int | None = None, **other: Any) -> dict[str, Any]:
    """A frame in the file under test unless ``path`` says otherwise."""
    return {
        "path": other.get("path", PATH),
        "line": line,
        "function": other.get("function", "forward"),
        "column": column,
        "end_column": end_column,
    }


def observation(*stack: dict[str, Any], family: str = "value", kind: str = "break", **other: Any) -> dict[str, Any]:
    """What torch reported, with ``stack`` outermost first."""
    return {
        "kind": kind,
        "reason": other.get("reason", "Data-dependent branching\n  Explanation: ..."),
        "gb_id": other.get("gb_id", "GB0170"),
        "gb_type": None,
        "family": family,
        "exception": other.get("exception", "Unsupported"),
        "stack": list(stack),
        "cost": None,
    }


def result(status: str, *observations: dict[str, Any], traced: tuple[int, ...] = (), **other: Any) -> dict[str, Any]:
    """A result of ``tracing.run_target`` with its lines narrowed to the file under test."""
    return {
        "status": status,
        "why": other.get("why"),
        "graphs": other.get("graphs", 1),
        "observations": list(observations),
        "traced": list(traced),
        "abandoned": list(other.get("abandoned", ())),
    }


def run(executed: tuple[int, ...], targets: dict[str, dict[str, Any]], reason: str | None = None, label: str = "make()") -> dict[str, Any]:
    """A run as the server sends it."""
    return {"label": label, "name": "Net", "reason": reason, "executed": list(executed), "targets": targets}


def judge(source: str, findings: list[Finding], *runs: dict[str, Any]) -> Matched:
    """The matcher's answer for the targets that the runs have, all four if they have none."""
    targets = [Target(name) for name in next((run["targets"] for run in runs if run["targets"]), ALL_TARGETS)]
    return match(PATH, source, findings, [parse_run(raw) for raw in runs], targets, "2.13.0", lambda _: "no inputs")


def compiled(source: str, findings: list[Finding], *observations: dict[str, Any], **other: Any) -> list[Outcome]:
    """The outcomes of ``findings`` when every line ran and was traced by a default compile that observed this."""
    lines = tuple(range(1, len(source.splitlines()) + 1))
    status = "broke" if observations else "ok"
    one = run(lines, {"compile": result(status, *observations, traced=other.pop("traced", lines), **other)})
    return [verdict.outcome for _, verdict in judge(source, findings, one).verdicts]


def only(verdict: Verdict) -> tuple[Outcome, str]:
    """Outcome and detail of a verdict that all targets share."""
    (shared,) = {(judged.outcome, judged.detail) for judged in verdict.targets.values()}
    return shared
