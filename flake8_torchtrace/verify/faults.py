"""What an accepted export loses, as findings that torch has confirmed."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Confidence, Family, Finding, Outcome, Target, TargetVerdict, Verdict
from .results import Fault, Run
from .statements import Statements

# By kind of fault (tracing/judge.py): code, name, and what is said of its subject
_TOLD = {
    "lost-output": ("TTR501", "effect-lost-at-export", "{} goes out here: the exported program gives none"),
    "lost-change": ("TTR502", "change-lost-at-export", "{} changed here: the exported program does not change it"),
    "baked": ("TTR503", "value-baked-at-export", "{} read here: the exported program keeps what the trace found"),
    "left-behind": ("TTR504", "fake-tensor-left", "{} gets a tensor here: export leaves one without data in it"),
    "differs": ("TTR902", "export-differs", "the exported program does something else than this code"),
}


def faults_found(path: str, source: str, runs: Sequence[Run], torch: str) -> tuple[tuple[Finding, Verdict], ...]:
    """A confirmed finding for every line and kind of fault, of all targets together."""
    statements = Statements(source)
    groups: dict[tuple[int, str], list[Fault]] = {}
    for fault in (fault for run in runs for fault in run.faults):
        groups.setdefault((fault.line, fault.kind), []).append(fault)
    return tuple(_finding(path, statements, faults, torch) for _, faults in sorted(groups.items()))


def _finding(path: str, statements: Statements, faults: list[Fault], torch: str) -> tuple[Finding, Verdict]:
    first = faults[0]
    code, name, text = _TOLD[first.kind]
    statement = statements.at(first.line)
    subjects = list(dict.fromkeys(subject for fault in faults for subject in fault.subject.split(", ")))
    verdicts: dict[Target, TargetVerdict] = {}
    for fault in faults:
        verdicts.setdefault(fault.target, TargetVerdict(Outcome.CONFIRMED, fault.detail))
    finding = Finding(
        code=code, rule=name, path=path, span=statement, statement=statement, message=text.format(" and ".join(subjects)),
        confidence=Confidence.LIKELY, family=Family.EFFECT, targets=frozenset(verdicts), function=first.function,
    )  # fmt: skip
    return finding, Verdict(torch, verdicts)
