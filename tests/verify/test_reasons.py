"""A reason in one line is the same in every run and on every machine."""

from __future__ import annotations

from flake8_torchtrace.model import Family, Observation, ObservationKind, Target
from flake8_torchtrace.verify.reasons import short_reason


def test_addresses_and_folders_are_left_out() -> None:
    text = "call of <function f at 0x7fa3c9d6c860> in /usr/lib/site-packages/torch/nn/module.py"
    observation = Observation(Target.COMPILE, ObservationKind.BREAK, text, Family.FORCED, (), "Unsupported")
    assert short_reason(observation) == "call of <function f> in torch/nn/module.py"


def told(reason: str, family: Family = Family.VALUE, exception: str = "UserError", gb_id: str | None = None) -> str:
    return short_reason(Observation(Target.FULLGRAPH, ObservationKind.REFUSAL, reason, family, (), exception, gb_id))


def test_a_sentence_goes_on_behind_a_newline() -> None:
    assert told("sizes differ:\n  2 and 3\n\nfrom user code:\n  File ...", exception="RuntimeError") == "RuntimeError: sizes differ: 2 and 3"


def test_explanations_of_torch_are_left_out() -> None:
    assert told("Dynamic shape operator\n  Explanation: it has\n  Hint: do", gb_id="GB0036") == "Dynamic shape operator (GB0036)"


def test_advice_does_not_take_the_place_of_the_reason() -> None:
    text = "Consider annotating your code using torch._check*(). Could not guard on data-dependent expression u0 > 4 (unhinted: u0 > 4)."
    assert told(text) == "UserError: Could not guard on data-dependent expression u0 > 4 (unhinted: u0 > 4)."


def test_a_reason_of_no_family_is_told_in_full() -> None:
    text = "something\nof which nobody knew " + "more " * 30
    assert told(text, Family.UNCLASSIFIED, "OddError") == "OddError: something of which nobody knew " + "more " * 29 + "more"
