"""Which inputs a finding is judged by, when the inputs of a file do not serve all its classes."""

from __future__ import annotations

from typing import Any

from judging import PATH, finding

from flake8_torchtrace.model import Outcome, Target
from flake8_torchtrace.verify.match import match
from flake8_torchtrace.verify.results import parse_run

SOURCE = """\
class Quick(nn.Module):
    def forward(self, x):
        print("quick")
        return x

class Other(nn.Module):
    def forward(self, x):
        print("other")
        if self.check(x):
            return x
        return -x

    def check(self, x):
        return x.sum() > 0 and x.mean() > 0
"""
ACCEPTED = {"status": "ok", "why": None, "graphs": 1, "observations": [], "traced": [3, 4]}


def run(subject: str, executed: list[int], reason: str | None = None, **target: Any) -> dict[str, Any]:
    """A run of the inputs for ``subject`` under fullgraph."""
    targets = {} if reason else {"fullgraph": {**ACCEPTED, **target}}
    return {"label": f"inputs for {subject}", "name": subject, "subject": subject, "reason": reason, "executed": executed, "targets": targets}


def judge(line: int, text: str, owner: str, *runs: dict[str, Any]) -> tuple[Outcome, str]:
    """Outcome and detail for the finding on ``text`` in ``line`` under fullgraph."""
    asked = [finding(SOURCE, line, text, owner=owner)]
    parsed = [parse_run(raw) for raw in runs]
    matched = match(PATH, SOURCE, asked, parsed, [Target.FULLGRAPH], "2.13.0", lambda item: f"no inputs for {item.owner}")
    ((_, verdict),) = matched.verdicts[:1]
    judged = verdict.targets[Target.FULLGRAPH]
    return judged.outcome, judged.detail


def test_a_class_that_no_inputs_are_for_is_unverified() -> None:
    assert judge(8, "print", "Other", run("Quick", [3, 4])) == (Outcome.UNVERIFIED, "no inputs for Other")


def test_a_class_whose_inputs_failed_is_unverified_for_that_reason() -> None:
    runs = (run("Quick", [3, 4]), run("Other", [], reason="took longer than the limit of 3 s"))
    assert judge(8, "print", "Other", *runs) == (Outcome.UNVERIFIED, "took longer than the limit of 3 s")


def test_the_failure_of_another_class_is_not_blamed() -> None:
    assert judge(8, "print", "Other", run("Quick", [], reason="eager call of Quick failed")) == (Outcome.UNVERIFIED, "no inputs for Other")


def test_a_class_that_ran_is_judged_by_its_lines() -> None:
    outcome, detail = judge(10, "return", "Other", run("Other", [8, 9, 11, 14]))
    assert outcome is Outcome.NOT_REACHED
    assert detail == "these inputs did not take the code there"


def test_a_refusal_inside_a_call_of_the_statement_does_not_dismiss_it() -> None:
    frames = [{"path": PATH, "line": line, "function": "f"} for line in (9, 14)]
    refusal = {"kind": "refusal", "reason": "Data-dependent branching", "family": "value", "exception": "Unsupported", "stack": frames}
    outcome, detail = judge(
        9, "self", "Other", run("Other", [8, 9, 10, 14], status="refused", observations=[refusal], traced=[8, 9, 14])
    )
    assert outcome is Outcome.NOT_REACHED
    assert detail.startswith("the trace ended inside a call of this statement")
