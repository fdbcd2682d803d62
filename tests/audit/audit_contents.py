"""Hand-made contents of an audit, with all that a writer must not stumble over."""

from __future__ import annotations

from flake8_torchtrace.model import (
    ALL_TARGETS,
    Confidence,
    Family,
    Finding,
    Frame,
    Observation,
    ObservationKind,
    Outcome,
    Span,
    Target,
    TargetVerdict,
    Verdict,
)
from flake8_torchtrace.report.content import Content, Item, Level, Problem, RuleHelp

HOSTILE = 'a, b: 100% <&"> \x1b[0m\nnext \ud800'


def finding(code: str = "TTR101", line: int = 3, **changed: object) -> Finding:
    span = Span(line, 4, line, 9)
    given = {
        "code": code, "rule": "some-rule", "path": "net.py", "span": span, "statement": Span(line, 4, line + 1, 2), "message": "breaks",
        "confidence": Confidence.LIKELY, "family": Family.VALUE, "targets": ALL_TARGETS, "function": "Net.forward", "owner": "Net",
        "chain": ("forward",), "evidence": "parameter `x`", "related": (Span(line + 2, 0, line + 2, 3),), **changed,
    }  # fmt: skip
    return Finding(**given)  # type: ignore[arg-type]


def confirmed(target: Target = Target.COMPILE) -> Verdict:
    stack = (Frame("net.py", 3, "forward"), Frame("helpers/far away.py", 7, "helper"))
    seen = Observation(target, ObservationKind.BREAK, "reason\nin lines", Family.VALUE, stack, "Unsupported", "GB0170")
    judged = {other: TargetVerdict(Outcome.DISMISSED, "accepted") for other in Target}
    return Verdict("2.13.0", {**judged, target: TargetVerdict(Outcome.CONFIRMED, "reason (GB0170)", seen)})


def dismissed() -> Verdict:
    return Verdict("2.13.0", {target: TargetVerdict(Outcome.DISMISSED, "accepted") for target in Target})


def item(path: str = "net.py", found: Finding | None = None, verdict: Verdict | None = None, **changed: object) -> Item:
    found = found or finding()
    given = {"message": found.message, "fingerprint": f"{path}{found.code}{found.span.line}", **changed}
    return Item(path, found, verdict, **given)  # type: ignore[arg-type]


def everything() -> Content:
    """One of every kind."""
    stack = (("net.py", 3, "forward"), ("helpers/far away.py", 7, "helper"))
    return Content(
        version="0.1.0",
        python="3.11.9",
        torch="2.13.0",
        targets=tuple(Target),
        fail_on=Level.LIKELY,
        items=(
            item(verdict=confirmed(), fails=True, stack=stack),
            item(found=finding("TTR103", 9, message=HOSTILE, confidence=Confidence.POSSIBLE)),
            item("folder/o ther.py", finding("TTR201", 1, owner=None, function="", evidence=None), dismissed()),
            item("/elsewhere/net.py", finding("TTR005", 1, targets=frozenset(), span=Span(1, 0, 1, 0))),
            item("folder/o ther.py", finding("TTR402", 2), is_known=True),
        ),
        checked=("net.py", "folder/o ther.py", "/elsewhere/net.py", "clean.py"),
        problems=(Problem("broken.py", HOSTILE, 5),),
        missing=("late.py",),
        vanished=("gone.py, Net.forward: TTR101",),
        has_baseline=True,
        rules={"TTR101": RuleHelp("TTR101", "branch-on-tensor", "A branch", "Why.\n\nWhat to do.")},
    )


def nothing() -> Content:
    """An audit without a finding, that asked no torch."""
    return Content("0.1.0", "3.11.9", "", (Target.COMPILE,), Level.LIKELY, checked=("clean.py",))
