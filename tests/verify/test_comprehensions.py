"""A break that torch places at the whole of a comprehension is of one of its parts."""

from __future__ import annotations

import pytest
from judging import compiled, finding, frame, observation

from flake8_torchtrace.model import Family, Outcome

CONFIRMED, NOT_REACHED = Outcome.CONFIRMED, Outcome.NOT_REACHED
SOURCE = """\
def forward(self, x):
    a = [y.item() for y in x[x > 0]]
    b = {int(y): float(y) for y in x}
    c = {int(y) for y in x.tolist()}
    d = sum(y.item() for y in x if bool(y))
    e = [
        y.item()
        for y in x[x > 0]
    ]
"""


@pytest.mark.parametrize(
    ("line", "whole", "function", "meant", "other"),
    [
        (2, "[y.item() for y in x[x > 0]]", "forward", (2, "x[x > 0]"), (2, "y.item()")),
        (3, "{int(y): float(y) for y in x}", "<dictcomp>", (3, "int(y)"), (3, "float(y)")),
        (4, "{int(y) for y in x.tolist()}", "<setcomp>", (4, "int(y)"), (4, "x.tolist()")),
        (4, "{int(y) for y in x.tolist()}", "forward", (4, "x.tolist()"), (4, "int(y)")),
        (5, "(y.item() for y in x if bool(y))", "<genexpr>", (5, "bool(y)"), (5, "y.item()")),
        (6, "[", "forward", (8, "x[x > 0]"), (7, "y.item()")),
    ],
)
def test_the_part_that_torch_means_is_confirmed(line: int, whole: str, function: str, meant: tuple[int, str], other: tuple[int, str]) -> None:
    column = SOURCE.splitlines()[line - 1].index(whole)
    end = None if whole == "[" else column + len(whole)
    findings = [finding(SOURCE, *meant), finding(SOURCE, *other)]
    assert compiled(SOURCE, findings, observation(frame(line, column, end, function=function))) == [CONFIRMED, NOT_REACHED]


def test_a_part_without_a_finding_leaves_the_break_to_the_findings_of_the_statement() -> None:
    column = SOURCE.splitlines()[1].index("[y.item")
    found = compiled(SOURCE, [finding(SOURCE, 2, "y.item()")], observation(frame(2, column, column + 28)))
    assert found == [CONFIRMED]


def test_a_break_inside_a_comprehension_is_where_torch_says() -> None:
    findings = [finding(SOURCE, 2, "y.item()"), finding(SOURCE, 2, "x[x > 0]", family=Family.DYNAMIC_SHAPE)]
    assert compiled(SOURCE, findings, observation(frame(2), frame(2, 9, 17, function="<listcomp>"))) == [CONFIRMED, NOT_REACHED]
