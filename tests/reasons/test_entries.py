"""From what a tracer did to an entry that is the same on every machine."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from flake8_torchtrace.model import ALL_TARGETS, Family, Target
from flake8_torchtrace.reasons.entries import broken, is_known, outcome, portable
from flake8_torchtrace.source.rule import Rule


class AboutValues(Rule):
    family: ClassVar[Family] = Family.VALUE


def observation(reason: str, family: str = "value", gb_id: str | None = None, exception: str = "Unsupported") -> dict[str, Any]:
    return {"reason": reason, "family": family, "gb_id": gb_id, "exception": exception}


def run(status: str, *observations: dict[str, Any], why: str | None = None) -> dict[str, Any]:
    result = {"status": status, "why": why, "observations": list(observations)}
    return {"reason": None, "targets": {target.value: result for target in Target}}


def entry(status: str, *observations: dict[str, Any], why: str | None = None) -> dict[str, str]:
    return outcome(run(status, *observations, why=why), AboutValues())[Target.COMPILE]


def test_accepted() -> None:
    assert entry("ok") == {"status": "accepted"}


def test_a_break_has_reason_id_and_family() -> None:
    found = entry("broke", observation("\nData-dependent branching\n  Explanation: ...", gb_id="GB0170"))
    assert found == {"status": "broke", "reason": "Data-dependent branching", "gb_id": "GB0170", "family": "value"}


def test_the_break_that_the_rule_is_about_is_told() -> None:
    first, second = observation("hooked", "autograd"), observation("branched")
    assert entry("broke", first, second)["reason"] == "branched"
    assert entry("broke", first)["reason"] == "hooked"


@pytest.mark.parametrize(
    ("status", "seen", "reason"),
    [
        ("refused", observation("Cannot guard", exception="GuardOnDataDependentSymNode"), "GuardOnDataDependentSymNode: Cannot guard"),
        ("refused", observation("", exception="GuardOnDataDependentSymNode"), "GuardOnDataDependentSymNode"),
        ("refused", observation("Known", gb_id="GB0001"), "Known"),
        ("crashed", observation("TypeError: no", exception="TypeError"), "TypeError: no"),
        ("broke", observation("call_id", exception="Unsupported"), "call_id"),
        ("broke", observation("", exception="SkipFrame"), "SkipFrame"),
    ],
)
def test_the_exception_is_part_of_a_refusal_without_id(status: str, seen: dict[str, Any], reason: str) -> None:
    assert entry(status, seen)["reason"] == reason


def test_what_could_not_be_run() -> None:
    assert entry("unusable", why="took too long") == {"status": "unusable", "reason": "took too long"}
    eager = outcome({"reason": "eager call of Net failed: ValueError: no", "targets": {}}, AboutValues())
    assert eager == {target: {"status": "unusable", "reason": "eager call of Net failed: ValueError: no"} for target in Target}
    assert not is_known(eager)
    assert broken(eager) == frozenset()


@pytest.mark.parametrize("status", ["broke", "refused", "crashed"])
def test_what_counts_as_broken(status: str) -> None:
    assert broken(outcome(run(status, observation("why")), AboutValues())) == ALL_TARGETS


def test_what_does_not() -> None:
    accepted = outcome(run("ok"), AboutValues())
    assert broken(accepted) == frozenset()
    assert is_known(accepted)


@pytest.mark.parametrize(
    ("text", "same_everywhere"),
    [
        ("in file '/opt/x/lib/python3.11/site-packages/torch/_ops.py', skip", "in file 'torch/_ops.py', skip"),
        ("in file /usr/lib/python3.11/copy.py, skip", "in file copy.py, skip"),
        ("in /var/folders/ab/torchtrace-1x2/ttr101_bad_1.py:4", "in ttr101_bad_1.py:4"),
        ("<torch.Generator object at 0x7f3a5c0d1e10>", "<torch.Generator object at 0x...>"),
        ("id 140234567890123 is gone", "id ... is gone"),
        ("\n\n  first \n second", "first"),
        ("torch.float32/torch.int64, 1024 and 0x10", "torch.float32/torch.int64, 1024 and 0x10"),
        ("x" * 200, "x" * 157 + "..."),
    ],
)
def test_texts_without_machine(text: str, same_everywhere: str) -> None:
    assert portable(text) == same_everywhere
