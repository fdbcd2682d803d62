"""From findings and runs to verdicts. Pure: nothing here runs code or touches the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..model import (
    EXPORT_TARGETS,
    Confidence,
    Finding,
    Frame,
    ObservationKind,
    Outcome,
    Span,
    Target,
    TargetVerdict,
    Verdict,
)
from .reasons import is_torch, place, short_reason
from .results import Run, TargetRun
from .sites import Site, findings_hit, locate, overlaps
from .statements import Statements
from .text import contains, share_lines

_NOT_EXECUTED = "these inputs did not take the code there"
_NO_BREAK = "traced, no break"
_CANNOT_TELL = "cannot tell whether it ran: it shares its line with what decides that"
UNPREDICTED_CODE = "TTR901"
UNPREDICTED_RULE = "unpredicted-break"


@dataclass(frozen=True)
class Matched:
    """The verdict of every finding, in order; breaks that no finding predicted; sentences about runs worth telling."""

    verdicts: tuple[tuple[Finding, Verdict], ...]
    extra: tuple[tuple[Finding, Verdict], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Placed:
    """A site with the indexes of the findings it confirms."""

    site: Site
    hits: frozenset[int]


def match(
    path: str,
    source: str,
    findings: Sequence[Finding],
    runs: Sequence[Run],
    targets: Sequence[Target],
    torch: str,
    without_runs: Callable[[Finding], str],
) -> Matched:
    """Judge ``findings`` of the file ``path`` (real path) by ``runs``; ``without_runs`` says why there are none."""
    matcher = _Matcher(path, Statements(source), list(findings), runs)
    verdicts = []
    for index, finding in enumerate(matcher.findings):
        outcomes = {target: matcher.judge(index, target, without_runs) for target in targets}
        verdicts.append((finding, Verdict(torch, outcomes)))
    return Matched(tuple(verdicts[: len(findings)]), tuple(verdicts[len(findings) :]), tuple(matcher.notes()))


class _Matcher:
    """``findings`` grows by one for every statement where torch broke unpredicted."""

    def __init__(self, path: str, statements: Statements, findings: list[Finding], runs: Sequence[Run]) -> None:
        self._path = path
        self._statements = statements
        self.findings = findings
        self._predicted = tuple(findings)
        self._unpredicted: dict[Span, int] = {}
        self._runs = runs
        self._placed = [{target: self._place(result, run) for target, result in run.targets.items()} for run in runs]

    def judge(self, index: int, target: Target, without_runs: Callable[[Finding], str]) -> TargetVerdict:
        """What all runs together say of one finding for one target."""
        if not self._runs:
            return TargetVerdict(Outcome.UNVERIFIED, without_runs(self.findings[index]))
        statement = self.findings[index].statement
        judged = [replace(self._judge_run(index, target, number), inputs=run.inputs) for number, run in enumerate(self._runs)]
        if not any(verdict.outcome is Outcome.CONFIRMED for verdict in judged):
            reason = self._not_covered(index, without_runs)
            if reason is not None:
                return TargetVerdict(Outcome.UNVERIFIED, reason)
        reached = [
            (verdict, run)
            for verdict, run in zip(judged, self._runs, strict=True)
            if verdict.outcome in (Outcome.CONFIRMED, Outcome.DISMISSED) or _has_any(run.executed, statement)
        ]
        is_dismissed = any(verdict.outcome is Outcome.DISMISSED for verdict, run in reached if not run.adds)
        counting = [verdict for verdict, run in reached if not (run.adds and is_dismissed) or verdict.outcome is Outcome.CONFIRMED]
        if counting:
            order = (Outcome.CONFIRMED, Outcome.UNVERIFIED, Outcome.NOT_REACHED, Outcome.DISMISSED)
        else:
            order = (Outcome.NOT_REACHED, Outcome.UNVERIFIED, Outcome.CONFIRMED, Outcome.DISMISSED)
        return min(counting or judged, key=lambda verdict: order.index(verdict.outcome))

    def _not_covered(self, index: int, without_runs: Callable[[Finding], str]) -> str | None:
        """Why no run says anything of a finding: inputs for its class failed, or there are none. None if one got to its class or function."""
        finding = self.findings[index]
        if index >= len(self._predicted):  # it is a break that a run showed
            return None
        areas = [self._statements.function_around(finding.span.line)]
        owned = self._statements.class_lines(finding.owner) if finding.owner else None
        areas += [owned] if owned is not None else []
        if any(first <= line <= last for run in self._runs for line in run.executed for first, last in areas):
            return None
        own = finding.owner.rpartition(".")[2] if finding.owner else ""
        failed = [run for run in self._runs if run.reason is not None and run.subject in ("", own)]
        if failed:
            return failed[0].reason
        if any(run.subject == own for run in self._runs):
            return None
        return without_runs(finding)

    def notes(self) -> list[str]:
        """Runs that failed and of which no verdict tells, and refusals of which none does."""
        notes = []
        could_run = any(run.reason is None for run in self._runs)
        for run, placed in zip(self._runs, self._placed, strict=True):
            is_told = run.kind == "synthesised"  # by the verdicts on its class, which is why it was tried
            if run.reason is not None and not is_told and (could_run or not self._predicted):
                notes.append(run.reason if run.label in run.reason else f"{run.label}: {run.reason}")
            untold = {target: result for target, result in run.targets.items() if self._is_untold(result, placed[target])}
            notes += [f"{run.label}: {text}" for text in _refusals(untold)]
        return notes

    def _is_untold(self, result: TargetRun, placed: list[_Placed]) -> bool:
        if result.status not in ("refused", "crashed") or placed:
            return False
        return bool(_stack(result)) or not self.findings

    def _place(self, result: TargetRun, run: Run) -> list[_Placed]:
        sites = [locate(observation, self._path, self._statements) for observation in result.observations]
        return [_Placed(site, self._hits(site, run)) for site in sites if site is not None]

    def _hits(self, site: Site, run: Run) -> frozenset[int]:
        """The findings that a break at ``site`` confirms: those at its statement, and those that ran and are related to it."""
        hits = frozenset(
            index
            for index in findings_hit(site, self._predicted)
            if share_lines(site.statement, self._predicted[index].statement) or _has_any(run.executed, self._predicted[index].statement)
        )
        if hits:
            return hits
        if site.statement not in self._unpredicted:
            self._unpredicted[site.statement] = len(self.findings)
            self.findings.append(_unpredicted(site, self._path))
        return frozenset({self._unpredicted[site.statement]})

    def _judge_run(self, index: int, target: Target, number: int) -> TargetVerdict:
        run = self._runs[number]
        if run.reason is not None:
            return TargetVerdict(Outcome.UNVERIFIED, run.reason)
        finding, result, placed = self.findings[index], run.targets[target], self._placed[number][target]
        hitting = [item.site.observation for item in placed if index in item.hits]
        if hitting:
            best = next((observation for observation in hitting if observation.family is finding.family), hitting[0])
            return TargetVerdict(Outcome.CONFIRMED, short_reason(best), best)
        proof = self._proof(index, number)
        region = None if proof else self._statements.region(finding.statement, finding.span)
        # a tracer goes where no call does: into the backward of an autograd.Function
        taken = run.executed | result.traced if self._breaks_at(index, number) else run.executed
        if not _has_any(taken, proof or finding.statement) or (region and _is_seen(run.points, region) is False):
            return TargetVerdict(Outcome.NOT_REACHED, _NOT_EXECUTED)
        if result.status == "unusable":
            return TargetVerdict(Outcome.UNVERIFIED, result.why)
        if result.status == "crashed" and not result.is_complete:
            return TargetVerdict(Outcome.UNVERIFIED, f"compile crashed: {_last_reason(result)}")
        if result.status == "refused" and not result.is_complete and self._ended_inside(result, finding.statement):
            return TargetVerdict(Outcome.NOT_REACHED, f"the trace ended inside a call of this statement: {_last_reason(result)}")
        beside = [item.site for item in placed if share_lines(item.site.statement, finding.statement)]
        beside = [site for site in beside if not _is_passed_by(site, finding.span, result)]
        if beside:
            reason = short_reason(beside[0].observation)
            return TargetVerdict(Outcome.NOT_REACHED, f"torch broke elsewhere in this statement: {reason}")
        if proof:
            is_traced: bool | None = _has_any(result.traced, proof)
        else:  # the tracer's own points tell only together with those of the plain run
            is_traced = _is_seen(result.points, region) if region and _is_seen(run.points, region) else None
        return _judge_unbroken(is_traced, target, result, self._nearest(finding, placed))

    def _nearest(self, finding: Finding, placed: list[_Placed]) -> list[_Placed]:
        """``placed`` with those of the finding's own function last: where several sites explain, they do it best."""
        first, last = self._statements.function_around(finding.span.line)
        return sorted(placed, key=lambda item: first <= item.site.line <= last)

    def _ended_inside(self, result: TargetRun, statement: Span) -> bool:
        """Whether the refusal came while the statement itself was being evaluated, in something that it calls."""
        return any(frame.path == self._path and statement.has_line(frame.line) for frame in _stack(result))

    def _proof(self, index: int, number: int) -> Span | None:
        """Lines that prove that the code of a finding was evaluated, if lines can. A break on it under any target proves it too."""
        finding = self.findings[index]
        return finding.statement if self._breaks_at(index, number) else self._statements.proof(finding.statement, finding.span)

    def _breaks_at(self, index: int, number: int) -> bool:
        """Whether some target broke there in that run."""
        return any(index in item.hits for placed in self._placed[number].values() for item in placed)


def _judge_unbroken(is_traced: bool | None, target: Target, result: TargetRun, placed: list[_Placed]) -> TargetVerdict:
    """Of code that ran and that no observation speaks of: dismissed, if the tracer went through it (None: cannot tell)."""
    if result.status == "refused" and not _stack(result):
        return TargetVerdict(Outcome.NOT_REACHED, f"refused without naming a line: {_last_reason(result)}")
    if is_traced is None:
        return TargetVerdict(Outcome.NOT_REACHED, _CANNOT_TELL)
    if not is_traced:
        return TargetVerdict(Outcome.NOT_REACHED, _why_not_traced(result, placed))
    accepted = result.status == "ok" and target in EXPORT_TARGETS
    if not accepted and result.status != "refused" and result.graphs < 1:
        return TargetVerdict(Outcome.NOT_REACHED, "torch captured no graph")
    return TargetVerdict(Outcome.DISMISSED, "accepted" if accepted else _NO_BREAK)


def _unpredicted(site: Site, path: str) -> Finding:
    inner = site.innermost
    inside = "" if inner.path == path else f", inside {place(inner)}"
    start, end = site.columns or (site.statement.column, site.statement.end_column)
    span = Span(site.line, start, site.line, end) if site.columns else site.statement
    return Finding(
        code=UNPREDICTED_CODE,
        rule=UNPREDICTED_RULE,
        path=path,
        span=span,
        statement=site.statement,
        message=f"torch breaks here and no rule predicted it{inside}",
        confidence=Confidence.LIKELY,
        family=site.observation.family,
        targets=frozenset({site.observation.target}),
        function=site.function,
    )


def _why_not_traced(result: TargetRun, placed: list[_Placed]) -> str:
    if result.status == "refused" and not result.is_complete:
        ended = next((item.site.line for item in placed if item.site.observation is result.observations[-1]), None)
        if ended is not None:
            return f"the trace ended at line {ended}"
        return f"the trace ended in {place(_stack(result)[-1])}"
    given_up = [item.site for item in placed if item.site.observation.kind is ObservationKind.SKIPPED_FRAME]
    if given_up:
        return f"torch left the whole frame to Python after line {given_up[-1].line}"
    return "torch left this code to Python"


def _refusals(results: dict[Target, TargetRun]) -> list[str]:
    groups: dict[str, list[str]] = {}
    for target, result in results.items():
        where = f"in {place(_stack(result)[-1])}" if _stack(result) else "without naming a line"
        groups.setdefault(f"{result.status} {where}: {_last_reason(result)}", []).append(target.value)
    return [f"{', '.join(targets)} {text}" for text, targets in groups.items()]


def _stack(result: TargetRun) -> tuple[Frame, ...]:
    """Where a refusal or crash happened; empty where torch does not say, or names nothing but a place of its own."""
    stack = result.observations[-1].stack if result.observations else ()
    return () if all(map(is_torch, stack)) else stack


def _last_reason(result: TargetRun) -> str:
    return short_reason(result.observations[-1]) if result.observations else result.why


def _has_any(lines: frozenset[int], span: Span) -> bool:
    return any(line in lines for line in range(span.line, span.end_line + 1))


def _is_passed_by(site: Site, span: Span, result: TargetRun) -> bool:
    """Whether the tracer left out the expression at ``site`` and nothing of ``span``, and so went through the rest of the statement."""
    if not result.is_complete or result.status == "broke" or site.columns is None or site.is_cut or site.line in result.left_out:
        return False
    return not overlaps(span, site)


def _is_seen(points: frozenset[Span], region: Span) -> bool | None:
    """Whether an instruction inside ``region`` is among ``points``; None where they tell nothing of its lines."""
    near = [point for point in points if share_lines(point, region)]
    return any(contains(region, point) for point in near) if near else None
