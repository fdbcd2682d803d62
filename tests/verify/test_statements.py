"""Positions to statements."""

from __future__ import annotations

import pytest

from flake8_torchtrace.model import Span
from flake8_torchtrace.verify.statements import Statements

SOURCE = """\
@decorate(
    1)
def f(
    a,
    b=(1,
       2),
) -> int:
    if (a and
            b):
        a = [
            b for b in a
        ]; b = 1
    with a as c, b as d:
        pass
    try:
        pass
    except (ValueError,
            KeyError) as e:
        "ä"; x = a.item()
    return 0
"""


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        (1, None, Span(1, 0, 7, 8)),
        (5, None, Span(1, 0, 7, 8)),
        (9, None, Span(8, 4, 9, 13)),
        (11, None, Span(10, 8, 12, 9)),
        (12, 11, Span(12, 11, 12, 16)),
        (13, 10, Span(13, 4, 13, 23)),
        (14, None, Span(14, 8, 14, 12)),
        (15, None, Span(15, 4, 15, 8)),
        (18, None, Span(17, 4, 18, 21)),
        (19, 17, Span(19, 13, 19, 25)),
    ],
)
def test_at(line: int, column: int | None, expected: Span) -> None:
    assert Statements(SOURCE).at(line, column) == expected


def test_a_line_without_a_statement_is_its_own() -> None:
    assert Statements("\n# nothing\n").at(2) == Span(2, 0, 2, 9)


def test_proof() -> None:
    statements = Statements(SOURCE)
    assert statements.proof(statements.at(19, 17), Span(19, 17, 19, 25)) is None
    assert statements.proof(statements.at(19, 8), Span(19, 8, 19, 11)) == Span(19, 8, 19, 11)
    assert statements.proof(statements.at(8), Span(9, 12, 9, 13)) == Span(9, 12, 9, 13)


def test_lines_are_those_of_python() -> None:
    source = "x = 1\f\ny = (1,\r\n     2)\rz = '\x85'\n"
    assert [Statements(source).at(line).line for line in (1, 2, 3, 4)] == [1, 2, 2, 4]


def test_functions() -> None:
    statements = Statements("x = 1\ndef f():\n    def g():\n        pass\n    return g\n")
    assert statements.function_around(4) == (3, 4)
    assert statements.function_around(5) == (2, 5)
    assert statements.function_around(1) == (1, 6)
    assert statements.is_in_function("f", 4)
    assert not statements.is_in_function("g", 5)
