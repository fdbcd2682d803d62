"""What torch makes of sizes that vary, as findings that it has confirmed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..model import Confidence, Family, Finding, Outcome, Span, Target, TargetVerdict, Verdict
from .results import Run
from .sizes_told import NAMES, Told, problem, told
from .statements import Statements
from .text import contains

_LONGEST = 160
_Key = tuple[str, Span, str]


def sizes_found(path: str, source: str, runs: Sequence[Run], torch: str) -> tuple[list[tuple[Finding, Verdict]], list[str]]:
    """A finding for every line of ``path`` and thing to tell of it, of all targets together; and sentences about what was not asked."""
    statements, found, notes = Statements(source), dict[_Key, tuple[Finding, Verdict]](), list[str]()
    for run in runs:
        for kind, reports in run.dynamic.items():
            notes += [f"{run.label}: sizes that vary: {text}" for text in _problems(reports)]
            for name, report in reports.items():
                target = Target(name)
                is_refused_anyway = target in run.targets and run.targets[target].status != "ok"
                for item in told(target, report, kind == "declared", is_refused_anyway) if problem(report) is None else ():
                    _add(found, item, path, statements, torch)
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0]))], notes


def _problems(reports: dict[str, dict[str, Any]]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for name, report in reports.items():
        text = problem(report)
        if text is not None:
            groups.setdefault(text, []).append(name)
    return [f"{', '.join(names)}: {text}" for text, names in groups.items()]


def _add(found: dict[_Key, tuple[Finding, Verdict]], item: Told, path: str, statements: Statements, torch: str) -> None:
    frames = [frame for frame in item.stack if frame["path"] == path]
    if not frames:
        return  # it is told where the code stands that did it
    line, column, end_column = (frames[-1][key] for key in ("line", "column", "end_column"))
    statement = statements.at(line, column)
    span = Span(line, column, line, end_column) if column is not None and end_column is not None else statement
    earlier = next((key for key in found if _is_same(key, item, span)), None)
    key = earlier or (item.code, span, item.message)
    if earlier is None:
        found[key] = _finding(item, path, span, statement, frames[-1]["function"]), Verdict(torch, {})
    targets = found[key][1].targets
    details = [targets[item.target].detail] if item.target in targets else []
    joined = "; ".join(dict.fromkeys([*details, item.detail]))
    detail = joined if len(joined) <= _LONGEST else details[0] if details else item.detail[: _LONGEST - 3] + "..."
    targets[item.target] = TargetVerdict(Outcome.CONFIRMED, detail)


def _is_same(key: _Key, item: Told, span: Span) -> bool:
    code, other, message = key
    return (code, message) == (item.code, item.message) and (contains(other, span) or contains(span, other))


def _finding(item: Told, path: str, span: Span, statement: Span, function: str) -> Finding:
    return Finding(
        code=item.code,
        rule=NAMES[item.code],
        path=path,
        span=span,
        statement=statement,
        message=item.message,
        confidence=Confidence.LIKELY,
        family=Family.SIZE,
        targets=frozenset({item.target}),
        function=function,
    )
