"""What every rule must say, and the documentation made from it."""

from __future__ import annotations

import pkgutil
import re
from importlib import import_module

import pytest
from example_files import Case, cases

from flake8_torchtrace.explain.page import what
from flake8_torchtrace.model import ALL_TARGETS, Family
from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.source.rules import PACKAGE, all_rules

each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


@each_rule
def test_a_rule_says_what_it_must(rule: Rule) -> None:
    assert re.fullmatch(r"TTR[1-8]\d\d", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.name)
    assert isinstance(rule.family, Family)
    assert bool(rule.targets) != bool(rule.legacy_targets)
    assert rule.targets | rule.legacy_targets <= ALL_TARGETS
    assert rule.bad
    assert rule.good


@each_rule
@pytest.mark.parametrize("part", ["effect", "instead"])
def test_a_phrase_fits_into_the_message(rule: Rule, part: str) -> None:
    text = getattr(rule, part)
    assert re.fullmatch(r"[a-z`].*[^.;]", text), text
    assert "\n" not in text


@each_rule
@pytest.mark.parametrize("part", ["why", "fine"])
def test_an_explanation_is_made_of_sentences(rule: Rule, part: str) -> None:
    text = getattr(rule, part)
    assert re.fullmatch(r"\w.*\.|`.*\.", text), text


@each_rule
def test_a_rule_has_one_line_that_says_what_it_is_about(rule: Rule) -> None:
    assert what(rule)
    assert "\n" not in what(rule)


def test_one_file_a_rule() -> None:
    files = [info.name for info in pkgutil.iter_modules(import_module(PACKAGE).__path__)]
    assert sorted(type(rule).__module__.rpartition(".")[2] for rule in all_rules()) == sorted(files)


def test_names_are_unique() -> None:
    names = [rule.name for rule in all_rules()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", [*cases("bad"), *cases("good")], ids=lambda case: case.name)
def test_an_example_is_a_module_called_net(case: Case) -> None:
    assert "class Net(" in case.example.code
    assert "import " not in case.example.code
