"""One expression of the source as a libcst tree, with positions in the file.

Only expressions that a rule has reason to look at are parsed, and libcst is imported with the first of them: importing it and
parsing whole files costs more than flake8 itself.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from flake8_torchtrace.model import Span
from flake8_torchtrace.source.pause import import_libcst
from flake8_torchtrace.source.values import UNKNOWN, Value

if TYPE_CHECKING:
    import libcst


class Segment:
    """The source of the ast node ``node``. ``fallback`` is the span to report where the node's own position cannot be trusted."""

    def __init__(self, node: ast.expr | ast.stmt, lines: Sequence[str], fallback: ast.expr | None) -> None:
        self._node = node
        self._lines = lines
        self._fallback = fallback
        self._start = node if fallback is None else fallback
        self._is_statement = isinstance(node, ast.stmt)
        if isinstance(node, ast.stmt):
            self.text = source_of(node, lines).splitlines()[0]
        else:
            self.text = ast.unparse(node) if fallback is not None else source_of(node, lines)
        self._column = _characters(lines, self._start.lineno, self._start.col_offset)
        self._end = _characters(lines, self._start.end_lineno or 0, self._start.end_col_offset or 0)
        self._positions: Any = None
        self._wrapped: Any = None
        self._spans: dict[tuple[int, int, int, int], ast.expr] | None = None

    @property
    def tree(self) -> libcst.BaseExpression:
        """The libcst expression; for a statement, which rules see as a whole, only a placeholder.

        Raises:
            libcst.ParserSyntaxError: libcst cannot read what ``ast`` can.
        """
        self._parse()
        module = self._wrapped.module
        expression: libcst.BaseExpression = module.body[0].body[0].value
        return expression

    def _parse(self) -> None:
        if self._wrapped is None:
            import_libcst()
            import libcst

            module = libcst.parse_module("(...)" if self._is_statement else f"({self.text})")
            self._wrapped = libcst.MetadataWrapper(module, unsafe_skip_copy=True)

    def _position(self, node: object) -> tuple[int, int, int, int]:
        if self._positions is None:
            from libcst.metadata import PositionProvider

            self._parse()
            self._positions = self._wrapped.resolve(PositionProvider)
        found = self._positions[node]
        return found.start.line, found.start.column, found.end.line, found.end.column

    def span(self, node: object) -> Span:
        """Where a node of this tree stands in the file."""
        if self._is_statement or self._fallback is not None:
            return Span(self._start.lineno, self._column, self._last_line(), self._last_column())
        line, column, end_line, end_column = self._position(node)
        offset = self._start.lineno - 1
        first, last = self._shift(line), self._shift(end_line)
        return Span(line + offset, column + first, end_line + offset, end_column + last)

    def token(self, is_method: bool) -> Span:
        """Where the callee of a call stands, of a method call its name only; for anything else the whole. libcst is not needed."""
        node = self._node
        if self._is_statement or self._fallback is not None or not isinstance(node, ast.Call):
            return Span(self._start.lineno, self._column, self._last_line(), self._last_column())
        func = node.func
        end_line = func.end_lineno or func.lineno
        end = _characters(self._lines, end_line, func.end_col_offset or 0)
        if is_method and isinstance(func, ast.Attribute):
            start = end - len(func.attr)
            if self._lines[end_line - 1][start:end] == func.attr:  # ast normalises the letters of names
                return Span(end_line, start, end_line, end)
        return Span(func.lineno, _characters(self._lines, func.lineno, func.col_offset), end_line, end)

    def _last_line(self) -> int:
        return self._start.lineno if self._is_statement else self._start.end_lineno or self._start.lineno

    def _last_column(self) -> int:
        return self._column + len(self.text) if self._is_statement else self._end

    def _shift(self, line: int) -> int:
        return self._column - 1 if line == 1 else 0

    def value(self, node: object, values: dict[ast.expr, Value]) -> Value:
        """What the analysis found the node of this tree to be."""
        found = self._by_span().get(self._position(node))
        return UNKNOWN if found is None else values.get(found, UNKNOWN)

    def _by_span(self) -> dict[tuple[int, int, int, int], ast.expr]:
        """The ast nodes by their place in the wrapped text: the same text parsed again, walked side by side with the original."""
        if self._spans is None:
            text = f"({self.text})"
            again = ast.parse(text, mode="eval").body
            rows = text.splitlines(keepends=True)
            self._spans = {}
            for original, copy in zip(ast.walk(self._node), ast.walk(again), strict=False):
                if isinstance(original, ast.expr) and isinstance(copy, ast.expr) and type(original) is type(copy):
                    start = _characters(rows, copy.lineno, copy.col_offset)
                    end = _characters(rows, copy.end_lineno or 0, copy.end_col_offset or 0)
                    self._spans[(copy.lineno, start, copy.end_lineno or 0, end)] = original
        return self._spans


def source_of(node: ast.expr | ast.stmt, lines: Sequence[str]) -> str:
    """The source text of a node; ``ast`` counts columns in UTF-8 bytes."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    if first == last:
        return lines[first].encode()[node.col_offset : node.end_col_offset].decode()
    start = lines[first].encode()[node.col_offset :].decode()
    end = lines[last].encode()[: node.end_col_offset].decode()
    return "".join([start, *lines[first + 1 : last], end])


def _characters(lines: Sequence[str], line: int, column: int) -> int:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return column if text.isascii() else len(text.encode()[:column].decode(errors="replace"))
