"""Where expressions inside f-strings stand. What Python 3.12 and newer says itself must come out of libcst as well."""

from __future__ import annotations

import ast

import libcst
import pytest

from flake8_torchtrace.model import Span
from flake8_torchtrace.source.segment import span_of
from flake8_torchtrace.source.strings import span_inside

# Each name stands once in the code, so that its place can be looked up.
STRINGS = {
    "plain": "text = f'{first} and {second.item()!r:>{width}}'",
    "blanks": "text = f'{  first  }'",
    "letters of two bytes": "text = 'ä', f'ü {first} ü {second}'",
    "several strings": "text = ('no {field}'\n    f'one {first}' 'two'\n  f'{second}')",
    "several lines": 'text = f"""\n  {first.call(\n  second)}\n{(third)} {fourth=}"""',
    "a string inside": "text = f'{first} {f\"{second}\"} {third}'",
    "escaped braces": "text = f'{{no}} {first} }}{{ {second}'",
}


def outermost(text: str) -> tuple[ast.JoinedStr, list[str]]:
    tree = ast.parse(text)
    string = next(node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    return string, text.splitlines(keepends=True)


@pytest.mark.parametrize("text", STRINGS.values(), ids=STRINGS)
def test_names_stand_where_they_stand(text: str) -> None:
    string, lines = outermost(text)
    names = [node for node in ast.walk(string) if isinstance(node, ast.Name)]
    assert names
    for node in names:
        span = span_inside(string, node, lines)
        assert lines[span.line - 1][span.column :].startswith(node.id)
        assert (span.end_line, span.end_column) == (span.line, span.column + len(node.id))


def test_an_expression_of_several_lines() -> None:
    string, lines = outermost(STRINGS["several lines"])
    call = next(node for node in ast.walk(string) if isinstance(node, ast.Call))
    assert span_inside(string, call, lines) == Span(2, 3, 3, 9)


def test_what_libcst_cannot_read_stands_at_the_string(monkeypatch: pytest.MonkeyPatch) -> None:
    string, lines = outermost(STRINGS["plain"])
    real = libcst.parse_module
    monkeypatch.setattr(libcst, "parse_module", lambda text: real(f"({text}"))
    name = next(node for node in ast.walk(string) if isinstance(node, ast.Name))
    assert span_inside(string, name, lines) == span_of(string, lines)
