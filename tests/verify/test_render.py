"""The bracket of a warning, and reasons short enough for it."""

from __future__ import annotations

import pytest

from flake8_torchtrace.model import Family, Frame, Observation, ObservationKind, Outcome, Target, TargetVerdict, Verdict
from flake8_torchtrace.verify import render
from flake8_torchtrace.verify.reasons import place, short_reason

COMPILE, FULLGRAPH, STRICT, NONSTRICT = Target
BRANCH = TargetVerdict(Outcome.CONFIRMED, "Data-dependent branching (GB0170)")
GUARD = TargetVerdict(Outcome.CONFIRMED, "GuardOnDataDependentSymNode")
CLEAN = TargetVerdict(Outcome.DISMISSED, "traced, no break")
ACCEPTED = TargetVerdict(Outcome.DISMISSED, "accepted")
ENDED = TargetVerdict(Outcome.NOT_REACHED, "the trace ended at line 4")
LATE = TargetVerdict(Outcome.UNVERIFIED, "the code under test took longer than the limit of 5 s")


def test_inputs_that_nobody_wrote_are_told() -> None:
    used = "synthesised: dim=32; x = float32[2, 16, 32]"
    verdict = Verdict("2.13.0", {COMPILE: TargetVerdict(Outcome.CONFIRMED, "broke", inputs=used), STRICT: ACCEPTED})
    assert verdict.inputs == used
    assert render(verdict) == f"[confirmed on torch 2.13.0: compile: broke; export-strict: accepted; {used}]"


@pytest.mark.parametrize(
    ("targets", "expected"),
    [
        (
            {NONSTRICT: GUARD, STRICT: BRANCH, FULLGRAPH: BRANCH, COMPILE: BRANCH},
            "[confirmed on torch 2.13.0: compile, fullgraph, export-strict: Data-dependent branching (GB0170); "
            "export-nonstrict: GuardOnDataDependentSymNode]",
        ),
        (
            {COMPILE: CLEAN, FULLGRAPH: ENDED, STRICT: BRANCH, NONSTRICT: LATE},
            "[confirmed on torch 2.13.0: export-strict: Data-dependent branching (GB0170); "
            "export-nonstrict: unverified, the code under test took longer than the limit of 5 s; "
            "fullgraph: not reached, the trace ended at line 4; compile: traced, no break]",
        ),
        ({COMPILE: BRANCH}, "[confirmed on torch 2.13.0: compile: Data-dependent branching (GB0170)]"),
        (
            {COMPILE: BRANCH, STRICT: ACCEPTED},
            "[confirmed on torch 2.13.0: compile: Data-dependent branching (GB0170); export-strict: accepted]",
        ),
        ({COMPILE: CLEAN, STRICT: ACCEPTED}, "[dismissed on torch 2.13.0: traced, no break]"),
        ({COMPILE: ENDED, STRICT: ENDED}, "[not-reached on torch 2.13.0: the trace ended at line 4]"),
        (
            {COMPILE: ENDED, STRICT: ACCEPTED},
            "[not-reached on torch 2.13.0: compile: the trace ended at line 4; export-strict: accepted]",
        ),
        (
            {COMPILE: LATE, STRICT: LATE},
            "[unverified: the code under test took longer than the limit of 5 s]",
        ),
        (
            {COMPILE: LATE, STRICT: ACCEPTED},
            "[unverified: compile: the code under test took longer than the limit of 5 s; export-strict: accepted]",
        ),
    ],
)
def test_render(targets: dict[Target, TargetVerdict], expected: str) -> None:
    assert render(Verdict("2.13.0", targets)) == expected


def observed(kind: ObservationKind, reason: str, exception: str, gb_id: str | None = None) -> Observation:
    return Observation(Target.COMPILE, kind, reason, Family.VALUE, (), exception, gb_id)


BREAK, REFUSAL = ObservationKind.BREAK, ObservationKind.REFUSAL


@pytest.mark.parametrize(
    ("observation", "expected"),
    [
        (
            observed(BREAK, "Data-dependent branching\n  Explanation: more", "Unsupported", "GB0170"),
            "Data-dependent branching (GB0170)",
        ),
        (observed(REFUSAL, "Data-dependent branching", "Unsupported", "GB0170"), "Data-dependent branching (GB0170)"),
        (observed(BREAK, "Tensor.item", "Unsupported"), "Tensor.item"),
        (observed(REFUSAL, "Could not guard on u0", "GuardOnDataDependentSymNode"), "GuardOnDataDependentSymNode"),
        (observed(REFUSAL, "no such\nthing", "RuntimeError"), "RuntimeError: no such thing"),
        (observed(REFUSAL, "", "RuntimeError"), "RuntimeError"),
        (observed(BREAK, "", ""), "no reason given"),
        (
            observed(BREAK, "skipped in file /opt/env/lib/python3.11/site-packages/torch/_dynamo/x.py", "Unsupported"),
            "skipped in file torch/_dynamo/x.py",
        ),
    ],
)
def test_short_reason(observation: Observation, expected: str) -> None:
    assert short_reason(observation) == expected


@pytest.mark.parametrize("gb_id", [None, "GB0170"])
def test_a_long_reason_keeps_its_id(gb_id: str | None) -> None:
    text = short_reason(observed(BREAK, "word " * 60, "Unsupported", gb_id))
    assert len(text) <= 100
    assert text.endswith("... (GB0170)" if gb_id else "...")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/opt/env/lib/python3.11/site-packages/torch/nn/linear.py", "torch/nn/linear.py:7 f"),
        ("/usr/lib/python3.11/copy.py", "copy.py:7 f"),
        ("<frozen genericpath>", "<frozen genericpath>:7 f"),
        ("/elsewhere/x.py", "/elsewhere/x.py:7 f"),
    ],
)
def test_place(path: str, expected: str) -> None:
    assert place(Frame(path, 7, "f")) == expected
