"""What becomes of a hit under the targets and the torch that a project wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from flake8_torchtrace.model import ALL_TARGETS, COMPILE_TARGETS, EXPORT_TARGETS, Family, Target
from flake8_torchtrace.source.claims import LintSettings, claim, effect_of
from flake8_torchtrace.source.rule import Hit, Rule

STRICT, NONSTRICT = frozenset({Target.EXPORT_STRICT}), frozenset({Target.EXPORT_NONSTRICT})
NOTHING: frozenset[Target] = frozenset()
HIT = Hit(None, "it is there")


class Breaks(Rule):
    code: ClassVar[str] = "TTR801"
    name: ClassVar[str] = "breaks"
    family: ClassVar[Family] = Family.CONTEXT
    targets: ClassVar[frozenset[Target]] = COMPILE_TARGETS
    effect: ClassVar[str] = "breaks it"


class Prints(Breaks):
    lost_at_export = "TTR501"


class Old(Breaks):
    targets = NOTHING


@dataclass(frozen=True)
class Recorded:
    """A torch on which every hit breaks ``found``."""

    found: frozenset[Target]
    version: str = "2.2.2"

    def breaks(self, code: str, claimed: frozenset[Target], name: str) -> frozenset[Target]:
        return self.found

    def may_break(self, code: str) -> bool:
        return bool(self.found)


def settings(wanted: frozenset[Target], found: frozenset[Target] | None = None, keeps_all: bool = False) -> LintSettings:
    return LintSettings(targets=wanted, torch=None if found is None else Recorded(found), keeps_all=keeps_all)


@pytest.mark.parametrize("wanted", [ALL_TARGETS, COMPILE_TARGETS, COMPILE_TARGETS | STRICT])
@pytest.mark.parametrize("rule", [Breaks, Prints])
def test_what_breaks_a_wanted_target_is_claimed(rule: type[Rule], wanted: frozenset[Target]) -> None:
    found = claim(rule(), HIT, "", settings(wanted))
    assert found is not None
    assert (found.code, found.effect, found.family, found.targets) == ("TTR801", "breaks it", Family.CONTEXT, COMPILE_TARGETS)


@pytest.mark.parametrize("wanted", [EXPORT_TARGETS, STRICT])
def test_what_breaks_only_others_is_not(wanted: frozenset[Target]) -> None:
    assert claim(Breaks(), HIT, "", settings(wanted)) is None


@pytest.mark.parametrize("keeps_all", [False, True])
@pytest.mark.parametrize("wanted", [EXPORT_TARGETS, STRICT, NONSTRICT])
def test_an_effect_is_lost_where_only_export_is_wanted(wanted: frozenset[Target], keeps_all: bool) -> None:
    found = claim(Prints(), HIT, "", settings(wanted, keeps_all=keeps_all))
    assert found is not None
    assert (found.code, found.name, found.family, found.targets) == ("TTR501", "effect-lost-at-export", Family.EFFECT, NOTHING)


def test_an_effect_is_not_lost_where_no_export_is_wanted() -> None:
    assert claim(Prints(), HIT, "", settings(COMPILE_TARGETS, NOTHING)) is None


def test_an_export_that_refuses_loses_nothing() -> None:
    found = claim(Prints(), HIT, "", settings(STRICT, COMPILE_TARGETS | STRICT))
    assert found is not None
    assert found.code == "TTR801"


def test_verification_is_given_what_breaks_other_targets_too() -> None:
    found = claim(Breaks(), HIT, "", settings(STRICT, keeps_all=True))
    assert found is not None
    assert found.targets == COMPILE_TARGETS
    assert claim(Breaks(), HIT, "", settings(STRICT, NOTHING, keeps_all=True)) is None


def test_a_hit_may_claim_other_targets_than_its_rule() -> None:
    found = claim(Breaks(), Hit(None, "it is there", STRICT, "refused"), "", settings(STRICT))
    assert found is not None
    assert (found.targets, found.effect) == (STRICT, "refused")
    assert claim(Breaks(), Hit(None, "it is there", NOTHING), "", settings(ALL_TARGETS)) is None


def test_the_effect_is_told_anew_for_a_torch_that_does_other_things() -> None:
    same, other = (claim(Breaks(), HIT, "", settings(ALL_TARGETS, found)) for found in (COMPILE_TARGETS, ALL_TARGETS))
    assert same is not None
    assert other is not None
    assert (same.effect, other.effect) == ("breaks it", "breaks the graph in compile, refused by fullgraph and export (torch 2.2.2)")


@pytest.mark.parametrize(
    ("rule", "torch", "expected"),
    [(Breaks, None, True), (Breaks, NOTHING, True), (Old, None, False), (Old, NOTHING, False), (Old, STRICT, True)],
)
def test_a_rule_about_older_torch_is_not_asked_on_another(rule: type[Rule], torch: frozenset[Target] | None, expected: bool) -> None:
    assert settings(ALL_TARGETS, torch).may_report(rule()) is expected


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        (ALL_TARGETS, "breaks the graph in compile, refused by fullgraph and export"),
        (COMPILE_TARGETS, "breaks the graph in compile, refused by fullgraph"),
        (COMPILE_TARGETS | STRICT, "breaks the graph in compile, refused by fullgraph and strict export"),
        (EXPORT_TARGETS, "refused by export"),
        (NONSTRICT, "refused by non-strict export"),
        (frozenset({Target.COMPILE}), "breaks the graph in compile"),
    ],
)
def test_effects_in_words(targets: frozenset[Target], words: str) -> None:
    assert effect_of(targets) == words
