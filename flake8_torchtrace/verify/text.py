"""Lines and columns of source text."""

from __future__ import annotations

import ast
import re

from ..model import Span

_LINE_END = re.compile(r"\r\n|\r|\n")


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
