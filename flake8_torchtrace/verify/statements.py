"""The statements of a source file by position, a compound one for its header only."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ..model import Span
from .comprehensions import Comprehensions
from .conditional import conditional_parts, innermost
from .text import Text, covers, share_lines

_BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})


@dataclass(frozen=True)
class _Function:
    name: str
    first: int
    last: int


class Statements:
    """Where the statements of ``source`` lie. Raises SyntaxError if it does not parse."""

    def __init__(self, source: str) -> None:
        self._text = Text(source)
        tree = ast.parse(source)
        self._conditional = conditional_parts(tree, self._text)
        self.comprehensions = Comprehensions(tree, self._text)
        self._spans: list[Span] = []
        self._functions: list[_Function] = []
        self._classes: dict[str, tuple[int, int]] = {}
        for node in ast.walk(tree):
            if isinstance(node, (ast.stmt, ast.ExceptHandler)):
                self._spans.append(self._header(node))
            if isinstance(node, ast.ClassDef):
                self._classes[node.name] = (node.lineno, node.end_lineno or node.lineno)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._functions.append(_Function(node.name, node.lineno, node.end_lineno or node.lineno))

    def at(self, line: int, column: int | None = None) -> Span:
        """The innermost statement at ``line`` and ``column`` (characters); the whole line where there is none."""
        found = [span for span in self._spans if span.has_line(line)]
        if column is not None:
            found = [span for span in found if covers(span, line, column)] or found
        if not found:
            return Span(line, 0, line, len(self._text.line(line)))
        return max(found, key=lambda span: (span.line, span.column if column is not None else -span.column))

    def proof(self, statement: Span, span: Span) -> Span | None:
        """Lines of which any one that runs proves that the code at ``span`` of ``statement`` did.

        None where no line can: behind an earlier statement on the same line, or in a part that Python may pass over.
        """
        part = innermost(self._conditional, span)
        if part is not None and share_lines(part.span, statement):
            return part.span if part.has_own_lines else None
        shared = any(other.line == statement.line and other.column < statement.column for other in self._spans)
        return None if shared else statement

    def region(self, statement: Span, span: Span) -> Span:
        """The smallest part around ``span`` that Python runs or passes over as one, where ``proof`` knows no lines for it."""
        part = innermost(self._conditional, span)
        return part.span if part is not None and share_lines(part.span, statement) else statement

    def is_in_function(self, name: str, line: int) -> bool:
        """Whether ``line`` lies in a function called ``name``."""
        return any(function.name == name and function.first <= line <= function.last for function in self._functions)

    def class_lines(self, qualname: str) -> tuple[int, int] | None:
        """First and last line of a class, by its name or by a dotted one's last part; None where there is none."""
        return self._classes.get(qualname.rpartition(".")[2])

    def function_around(self, line: int) -> tuple[int, int]:
        """First and last line of the innermost function at ``line``; of the file if there is none."""
        found = [function for function in self._functions if function.first <= line <= function.last]
        innermost = max(found, key=lambda function: function.first, default=_Function("", 1, len(self._text.lines)))
        return innermost.first, innermost.last

    def _header(self, node: ast.stmt | ast.ExceptHandler) -> Span:
        line, column = node.lineno, node.col_offset
        end = (node.end_lineno or line, node.end_col_offset or column)
        if any(block in _BLOCKS for block in node._fields):
            parts = [child for name in node._fields if name not in _BLOCKS for child in _nodes(getattr(node, name))]
            ends = [part for part in map(_end, parts) if part is not None]
            end = max([(line, len(self._text.line(line).encode())) if not ends else (line, column), *ends])
        decorators = [child.lineno for child in getattr(node, "decorator_list", ())]
        first = min([line, *decorators])
        return Span(first, self._text.character(line, column), end[0], self._text.character(end[0], end[1]))


def _nodes(value: object) -> list[ast.AST]:
    items = value if isinstance(value, list) else [value]
    return [child for item in items if isinstance(item, ast.AST) for child in ast.walk(item)]


def _end(node: ast.AST) -> tuple[int, int] | None:
    line, column = getattr(node, "end_lineno", None), getattr(node, "end_col_offset", None)
    return (line, column) if line is not None and column is not None else None
