"""A fault of the tool is one TTR0xx line for its file and ends neither flake8's run nor the other findings."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from flake8_program import HEAD, Reported, flake8

from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find

Write = Callable[..., Path]

TWO_FINDINGS = """
class Net(nn.Module):
    def forward(self, x):
        print(x)
        return x - x.mean().item()
"""
NO_FINDINGS = """
class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""
RUN = """
import sys
{before}
from flake8.main.cli import main
sys.exit(main(sys.argv[1:]))
"""
MORE_RULES = """
import flake8_torchtrace.rules
flake8_torchtrace.rules.__path__.append({folder!r})
"""
RULE = """
from flake8_torchtrace.model import Family
from flake8_torchtrace.source.rule import Example, Rule


class Faulty(Rule):
    code = {code!r}
    name = "faulty"
    family = Family.VALUE
    effect = instead = why = fine = "nothing"
    bad = good = (Example("pass"),)
    calls = ("builtins.print",)

    def confidence(self, event):
        {confidence}

    def check(self, site):
        {check}
"""
LIKELY = "return super().confidence(event)"


def with_rule(write: Write, **parts: str) -> list[Reported]:
    """Lint three files with one more rule, whose parts are given as source."""
    write("faulty_rules/faulty.py", RULE.format(**{"code": "TTR299", "confidence": LIKELY, "check": "yield site.hit('x')", **parts}))
    return run_with(write, MORE_RULES.format(folder=str(write("faulty_rules/x.txt", "").parent)))


def run_with(write: Write, before: str) -> list[Reported]:
    """Lint ``a.py`` and ``c.py``, with two findings each, and ``b.py``, with none, after running ``before``."""
    files = [write("a.py", TWO_FINDINGS, torch=True), write("b.py", NO_FINDINGS, torch=True), write("c.py", TWO_FINDINGS, torch=True)]
    run = flake8(*files, program=("-c", RUN.format(before=before)))
    assert run.status == 1
    return run.reported


def found(reported: list[Reported]) -> list[tuple[str, int, str]]:
    return [(item.path.name, item.line, item.code) for item in reported]


BOTH = [(6, "TTR201"), (7, "TTR103")]


def expected(*tool: tuple[int, str], rest: list[tuple[int, str]] = BOTH) -> list[tuple[str, int, str]]:
    return [(name, line, code) for name in ("a.py", "c.py") for line, code in sorted([*tool, *rest])]


def test_one_more_rule_is_found_by_scanning(write: Write) -> None:
    assert found(with_rule(write)) == expected((6, "TTR299"))


def test_a_rule_that_raises_at_its_finding(write: Write) -> None:
    reported = with_rule(write, check="raise KeyError('no such thing')")
    assert found(reported) == expected((1, "TTR004"))
    assert {item.text for item in reported if item.code == "TTR004"} == {
        "rule TTR299 failed on line 6 (KeyError: 'no such thing'); please report it"
    }


def test_a_rule_that_raises_when_asked(write: Write) -> None:
    reported = with_rule(write, confidence="return event.no_such_attribute")
    assert found(reported) == expected((1, "TTR004"))
    wanted = ("rule TTR299 failed on line", "AttributeError", "no_such_attribute", "please report it")
    assert all(word in item.text for item in reported if item.code == "TTR004" for word in wanted)


def test_two_rules_with_one_code(write: Write) -> None:
    reported = with_rule(write, code="TTR201")
    assert {(item.path.name, item.code) for item in reported} == {(name, "TTR002") for name in ("a.py", "b.py", "c.py")}
    assert all("TTR201 is the code of two rules: " in item.text for item in reported)


@pytest.mark.parametrize("deep", ["x" + " + x" * 2500, "x" + ".sin()" * 300], ids=["sum", "chain"])
def test_nesting_too_deep_for_us(deep: str) -> None:
    """Not through flake8: pyflakes gives up earlier."""
    text = HEAD + TWO_FINDINGS.replace("print(x)", f"print({deep})")
    (trouble,) = find("net.py", ast.parse(text), text.splitlines(keepends=True), LintSettings())
    assert (trouble.code, trouble.span.line) == ("TTR001", 1)
    assert trouble.message == "the file nests too deeply to be analysed; nothing in it was checked"
