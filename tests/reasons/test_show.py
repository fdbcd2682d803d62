"""The measured examples as text for people."""

from __future__ import annotations

import pytest

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons import show
from flake8_torchtrace.reasons.entries import Entry, Outcome
from flake8_torchtrace.reasons.examples import Kind, cases
from flake8_torchtrace.reasons.measure import Measured
from flake8_torchtrace.source.rules import all_rules

RULE = next(rule for rule in all_rules() if rule.code == "TTR403")
ACCEPTED: Outcome = {target: {"status": "accepted"} for target in Target}
BROKE: Entry = {"status": "broke", "reason": "so it is", "gb_id": "GB0001", "family": "value"}
BROKEN: Outcome = {**ACCEPTED, Target.COMPILE: BROKE, Target.EXPORT_STRICT: BROKE}
UNUSABLE: Outcome = {target: {"status": "unusable", "reason": "needs a package"} for target in Target}


def measured(kind: Kind, result: Outcome, notes: list[str] | None = None) -> Measured:
    return Measured(next(case for case in cases([RULE]) if case.kind == kind), result, "2.13.0", notes or [])


def test_targets_with_the_same_outcome_share_a_line() -> None:
    lines = [" ".join(line.split()) for line in show.lines(measured("bad", BROKEN))]
    assert lines == ["bad 1", "compile, export-strict broke: so it is (GB0001; value)", "fullgraph, export-nonstrict accepted"]
    assert show.names(Target) == "all targets"


def test_a_reason_without_id_and_family() -> None:
    assert show.words(UNUSABLE[Target.COMPILE]) == "unusable: needs a package"


def test_what_the_tool_says_of_the_torch_stands_first() -> None:
    assert show.heading(measured("bad", BROKEN, ["no seam"]), "3.11") == ["torch 2.13.0, Python 3.11, CPU", "note: no seam"]


@pytest.mark.parametrize(
    ("kind", "result", "mark"),
    [
        ("bad", ACCEPTED, "BREAKS NOWHERE"),
        ("good", BROKEN, "BREAKS: compile, export-strict"),
        ("bad", UNUSABLE, "CANNOT BE RUN"),
        ("good", UNUSABLE, "CANNOT BE RUN"),
        ("bad", BROKEN, ""),
        ("good", ACCEPTED, ""),
    ],
)
def test_what_is_not_as_the_rule_says_is_marked(kind: Kind, result: Outcome, mark: str) -> None:
    item = measured(kind, result)
    assert next(show.lines(item)) == f"  {kind} 1" + (f"  <-- {mark}" if mark else "")
    expected = f"1 not as the rule says: TTR403 {kind} 1" if mark else "all as the rules say"
    assert show.summary([item]) == f"1 example of one rule: {expected}"


def test_a_rule_about_another_torch_may_break_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(RULE), "targets", frozenset())
    item = measured("bad", ACCEPTED)
    assert next(show.lines(item)) == "  bad 1  <-- breaks nowhere on this torch; the rule is about another"
    assert show.summary([item, item]) == "2 examples of one rule: all as the rules say"
