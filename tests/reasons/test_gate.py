"""Which recorded torch answers for a version, and what a claim becomes there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from flake8_torchtrace.config import parse_version
from flake8_torchtrace.model import ALL_TARGETS, COMPILE_TARGETS, EXPORT_TARGETS, Target
from flake8_torchtrace.reasons import gate
from flake8_torchtrace.reasons.gate import FOLDER, REFERENCE, Gate

COMPILE = frozenset({Target.COMPILE})
STRICT = frozenset({Target.EXPORT_STRICT})
NOTHING: frozenset[Target] = frozenset()
Ask = Callable[[str | None], Gate]


def names(*targets: Target) -> list[str]:
    return [target.value for target in targets]


def profile(old: frozenset[Target] | None, new: frozenset[Target], *calls: str) -> dict[str, list[str]]:
    """An example: what it breaks on torch 2.2.2, where None says that it cannot be run, and on the reference; what it calls."""
    return {gate.CALLS: list(calls), **({} if old is None else {"2.2.2": names(*old)}), REFERENCE: names(*new)}


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """A gate for a version, over a small file with three versions of torch."""
    rules = {
        "TTR801": [profile(COMPILE_TARGETS, COMPILE, "item"), profile(ALL_TARGETS, ALL_TARGETS, "item")],
        "TTR802": [profile(ALL_TARGETS, NOTHING)],
        "TTR803": [profile(None, ALL_TARGETS)],
        "TTR804": [profile(NOTHING, COMPILE)],
        "TTR805": [],
        "TTR806": [profile(STRICT, COMPILE, "random.random"), *(profile(COMPILE | STRICT, COMPILE, f"random.{n}") for n in range(2))],
        "TTR807": [profile(STRICT, COMPILE, "nonzero"), profile(NOTHING, COMPILE)],
    }
    table = {"torch": ["2.2.2", REFERENCE, "2.15.0"], "rules": rules}
    (tmp_path / gate.FILE).write_text(json.dumps(table), encoding="utf-8")
    return lambda version: Gate(version, tmp_path)


@pytest.mark.parametrize(
    ("wanted", "asked"),
    [
        ("1.13", "2.2.2"), ("2.2", "2.2.2"), ("2.2.0", "2.2.2"), ("2.9", "2.2.2"), ("2.12.9", "2.2.2"),
        ("2.13", REFERENCE), ("2.13.0+cpu", REFERENCE), ("2.14.1", REFERENCE), ("2.15", "2.15.0"), ("2.16.0.dev20261101", "2.15.0"),
        ("3.0", "2.15.0"),
    ],
)  # fmt: skip
def test_the_nearest_recorded_torch_that_is_not_newer_answers(ask: Ask, wanted: str, asked: str) -> None:
    assert ask(wanted).version == asked


@pytest.mark.parametrize(("installed", "asked"), [(None, "2.15.0"), ("2.13.1", REFERENCE), ("2.4.0+cu121", "2.2.2"), ("main", "2.15.0")])
def test_without_a_version_the_installed_torch_counts(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, installed: str | None, asked: str
) -> None:
    monkeypatch.setattr(gate, "installed_version", lambda: installed)
    assert ask(None).version == asked


@pytest.mark.parametrize(
    ("code", "claimed", "there"),
    [
        pytest.param("TTR801", COMPILE, COMPILE_TARGETS, id="an example that breaks the same here says what breaks there"),
        pytest.param("TTR801", ALL_TARGETS, ALL_TARGETS, id="each hit has its own example"),
        pytest.param("TTR801", STRICT, STRICT, id="no such example: nothing is lost, because some example still breaks it"),
        pytest.param("TTR802", NOTHING, ALL_TARGETS, id="a rule about older torch"),
        pytest.param("TTR803", ALL_TARGETS, ALL_TARGETS, id="not to be run there: the claim stands"),
        pytest.param("TTR804", COMPILE, NOTHING, id="clean there"),
        pytest.param("TTR804", COMPILE_TARGETS, COMPILE_TARGETS - COMPILE, id="no such example: lost is what is clean there"),
        pytest.param("TTR805", EXPORT_TARGETS, EXPORT_TARGETS, id="no example was run"),
        pytest.param("TTR899", EXPORT_TARGETS, EXPORT_TARGETS, id="not recorded"),
    ],
)
def test_what_a_claim_becomes_on_an_older_torch(
    ask: Ask, code: str, claimed: frozenset[Target], there: frozenset[Target]
) -> None:
    assert ask("2.2").breaks(code, claimed) == there


@pytest.mark.parametrize(
    ("code", "name", "there"),
    [
        pytest.param("TTR806", "random.random", STRICT, id="the example that calls the same"),
        pytest.param("TTR806", "random.choice", COMPILE | STRICT, id="what most examples break"),
        pytest.param("TTR807", "nonzero", STRICT, id="a method"),
        pytest.param("TTR807", "torch.nonzero", STRICT, id="a function of torch is its method"),
        pytest.param("TTR807", "", NOTHING, id="half of the examples are not most"),
    ],
)
def test_examples_that_call_the_same_speak_first(ask: Ask, code: str, name: str, there: frozenset[Target]) -> None:
    assert ask("2.2").breaks(code, COMPILE, name) == there


@pytest.mark.parametrize(
    ("code", "expected"), [("TTR801", True), ("TTR802", True), ("TTR803", False), ("TTR804", False), ("TTR899", False)]
)
def test_whether_a_rule_can_break_anything_there(ask: Ask, code: str, expected: bool) -> None:
    assert ask("2.2").may_break(code) is expected


@pytest.mark.parametrize("claimed", [NOTHING, COMPILE, EXPORT_TARGETS, ALL_TARGETS])
def test_a_claim_stands_on_the_torch_it_is_about(ask: Ask, claimed: frozenset[Target]) -> None:
    assert ask("2.13").breaks("TTR801", claimed) == claimed


@pytest.mark.parametrize("text", ["", "2", "newest", "2.x", "2.13.", "2.13 or so", "v2.13", "2.13;2.14", "२.13"])
def test_what_is_not_a_version(text: str) -> None:
    with pytest.raises(ValueError, match="is not a version of torch"):
        parse_version(text)


@pytest.mark.parametrize(
    "text", ["2.13", " 2.13.1 ", "2.13.0+cpu", "2.13.0a0+git1f3", "2.13.0rc2", "2.13.0.dev20261101+cpu", "2.13.0.post1"]
)
def test_what_is_one(text: str) -> None:
    assert parse_version(text) == (2, 13)


def test_the_reference_is_recorded() -> None:
    assert Gate(REFERENCE, FOLDER).version == REFERENCE
