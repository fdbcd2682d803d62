"""Lines and columns of source text."""

from __future__ import annotations

import ast
import re

from ..model import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


def share_lines(one: Span, other: Span) -> bool:
    """Whether the two have a line in common."""
    return one.line <= other.end_line and other.line <= one.end_line


def contains(outer: Span, inner: Span) -> bool:
    """Whether all of ``inner`` lies in ``outer``."""
    starts = (outer.line, outer.column) <= (inner.line, inner.column)
    return starts and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def covers(span: Span, line: int, column: int) -> bool:
    """Whether a position lies in ``span``."""
    after_start = line > span.line or column >= span.column
    return span.has_line(line) and after_start and (line < span.end_line or column < span.end_column)


class Text:
    """Source by lines as Python counts them (a form feed ends none)."""

    def __init__(self, source: str) -> None:
        self.lines = _LINE_END.split(source)

    def line(self, number: int) -> str:
        """A line by its 1-based number, empty if there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def character(self, number: int, offset: int) -> int:
        """A column in UTF-8 bytes, as ``ast`` counts, in characters."""
        return len(self.line(number).encode()[:offset].decode(errors="ignore"))

    def span(self, node: ast.expr) -> Span:
        """The span of an expression."""
        end_line = node.end_lineno or node.lineno
        end_column = self.character(end_line, node.end_col_offset or 0)
        return Span(node.lineno, self.character(node.lineno, node.col_offset), end_line, end_column)
