"""What accepted exports lose, as findings that the replays of their programs have confirmed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..model import EXPORT_TARGETS, Confidence, Family, Finding, Outcome, Span, Target, TargetVerdict, Verdict
from .results import Run
from .statements import Statements

# By the kinds of faults in tracing/replay/judge.py: code, name, message
_KINDS = {
    "lost-output": ("TTR501", "effect-lost-at-export", "export accepts this, and the exported program does not do it: {}"),
    "lost-change": ("TTR502", "change-lost-at-export", "export accepts this, and the exported program does not change {}"),
    "baked": ("TTR503", "value-baked-at-export", "the exported program holds what this was while it was traced: {}"),
    "left-behind": ("TTR504", "left-behind-by-export", "export leaves something of its trace behind here: {}"),
    "differs": ("TTR505", "differs-from-module", "the exported program gives another result than the module"),
}
_NOTHING_LOST = "the exported program does it too"
_NOT_EXECUTED = "these inputs did not take the code there"
_ORDER = (Outcome.CONFIRMED, Outcome.UNVERIFIED, Outcome.NOT_REACHED, Outcome.DISMISSED)
Found = list[tuple[Finding, Verdict]]


def losses_found(path: str, source: str, runs: Sequence[Run], torch: str) -> tuple[Found, list[str]]:
    """A finding for every line of ``path`` and thing that is lost there, of both exports together; and sentences about what was not compared."""
    statements, found = Statements(source), dict[tuple[str, Span, str], tuple[Finding, Verdict]]()
    for run in runs:
        for target, fault in _faults(run, path):
            code, name, message = _KINDS[fault["kind"]]
            statement, text = statements.at(fault["line"]), message.format(fault["subject"])
            key = (code, statement, text)
            if key not in found:
                found[key] = _finding(code, name, text, path, statement, fault["function"]), Verdict(torch, {})
            verdict = TargetVerdict(Outcome.CONFIRMED, fault["detail"], inputs=run.inputs)
            found[key][1].targets.setdefault(target, verdict)
    return [found[key] for key in sorted(found, key=lambda key: (key[1], key[0], key[2]))], list(_not_compared(runs))


def effect_verdict(
    finding: Finding, path: str, source: str, runs: Sequence[Run], targets: Sequence[Target], torch: str, without_runs: str
) -> Verdict:
    """What replays say of a claim that an export drops an effect."""
    wanted = [target for target in targets if target in EXPORT_TARGETS]
    statements = Statements(source)
    judged = {}
    for target in wanted:
        found = [_judged(finding, target, run, path, statements) for run in runs] or [TargetVerdict(Outcome.UNVERIFIED, without_runs)]
        judged[target] = min(found, key=lambda item: _ORDER.index(item.outcome))
    return Verdict(torch, judged)


def is_same_claim(one: Finding, other: Finding) -> bool:
    """Whether two findings tell the same of the same statement."""
    return one.code == other.code and one.statement == other.statement


def _judged(finding: Finding, target: Target, run: Run, path: str, statements: Statements) -> TargetVerdict:
    if run.reason is not None:
        return TargetVerdict(Outcome.UNVERIFIED, run.reason, inputs=run.inputs)
    for at, fault in _faults(run, path):
        if at is target and _KINDS[fault["kind"]][0] == finding.code and statements.at(fault["line"]) == finding.statement:
            return TargetVerdict(Outcome.CONFIRMED, fault["detail"], inputs=run.inputs)
    if run.executed.isdisjoint(range(finding.statement.line, finding.statement.end_line + 1)):
        return TargetVerdict(Outcome.NOT_REACHED, _NOT_EXECUTED, inputs=run.inputs)
    result, problems = run.targets.get(target), run.replayed.get("problems", {})
    if result is None or result.status != "ok":
        return TargetVerdict(Outcome.NOT_REACHED, "it is not exported", inputs=run.inputs)
    if target.value not in run.replayed.get("faults", {}):
        return TargetVerdict(Outcome.UNVERIFIED, problems.get(target.value, "it was not compared"), inputs=run.inputs)
    return TargetVerdict(Outcome.DISMISSED, _NOTHING_LOST, inputs=run.inputs)


def _faults(run: Run, path: str) -> Iterator[tuple[Target, dict[str, Any]]]:
    for name, faults in run.replayed.get("faults", {}).items():
        yield from ((Target(name), fault) for fault in faults if fault["path"] == path)


def _not_compared(runs: Sequence[Run]) -> Iterator[str]:
    for run in runs:
        groups: dict[str, list[str]] = {}
        for name, why in run.replayed.get("problems", {}).items():
            groups.setdefault(why, []).append(name)
        for why, names in groups.items():
            yield f"{run.label}: what the exported program loses is not known: {', '.join(names)}: {why}"


def _finding(code: str, name: str, message: str, path: str, statement: Span, function: str) -> Finding:
    return Finding(
        code=code,
        rule=name,
        path=path,
        span=statement,
        statement=statement,
        message=message,
        confidence=Confidence.LIKELY,
        family=Family.EFFECT,
        targets=EXPORT_TARGETS,
        function=function,
    )
