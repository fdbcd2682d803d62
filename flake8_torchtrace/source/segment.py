"""One expression or statement of the source: its text, and where it and its parts stand in the file."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from flake8_torchtrace.model import Span


class Segment:
    """The source of the ast node ``node``. ``string`` is the f-string it stands in, where ``ast`` gives no positions inside f-strings."""

    def __init__(self, node: ast.expr | ast.stmt, lines: Sequence[str], string: ast.JoinedStr | None) -> None:
        self._node = node
        self._lines = lines
        self._string = string
        if isinstance(node, ast.stmt):
            self.text = source_of(node, lines).splitlines()[0]
        else:
            self.text = self.text_of(node)

    def text_of(self, node: ast.expr) -> str:
        """The source of the node or a part of it."""
        return source_of(node, self._lines) if self._string is None else ast.unparse(node)

    def span(self, node: ast.expr | ast.stmt) -> Span:
        """Where the node or a part of it stands; of a statement the first line."""
        if isinstance(node, ast.stmt):
            start = characters(self._lines, node.lineno, node.col_offset)
            return Span(node.lineno, start, node.lineno, start + len(self.text))
        if self._string is not None:
            from flake8_torchtrace.source.strings import span_inside

            return span_inside(self._string, node, self._lines)
        return span_of(node, self._lines)

    def token(self, is_method: bool) -> Span:
        """Where the callee of a call stands, of a method call its name only; for anything else the whole."""
        node = self._node
        if not isinstance(node, ast.Call):
            return self.span(node)
        span = self.span(node.func)
        if is_method and isinstance(node.func, ast.Attribute):
            start = span.end_column - len(node.func.attr)
            if self._lines[span.end_line - 1][start : span.end_column] == node.func.attr:  # ast normalises the letters of names
                return Span(span.end_line, start, span.end_line, span.end_column)
        return span


def span_of(node: ast.expr, lines: Sequence[str]) -> Span:
    """Where ``node`` stands by its own word; ``ast`` counts columns in UTF-8 bytes."""
    last = node.end_lineno or node.lineno
    return Span(node.lineno, characters(lines, node.lineno, node.col_offset), last, characters(lines, last, node.end_col_offset or 0))


def source_of(node: ast.expr | ast.stmt, lines: Sequence[str]) -> str:
    """The source text of a node; ``ast`` counts columns in UTF-8 bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    if first == last:
        return lines[first].encode()[node.col_offset : node.end_col_offset].decode()
    start = lines[first].encode()[node.col_offset :].decode()
    end = lines[last].encode()[: node.end_col_offset].decode()
    return "".join([start, *lines[first + 1 : last], end])


def characters(lines: Sequence[str], line: int, column: int) -> int:
    """How many characters stand before the byte ``column`` of a 1-based line."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))
