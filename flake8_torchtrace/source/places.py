"""Which statement a position belongs to, and which nodes have a position that cannot be trusted."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence

from flake8_torchtrace.model import Span
from flake8_torchtrace.source.walk import fields_of, walk

_HAS_INNER_POSITIONS = sys.version_info >= (3, 12)


class Places:
    """The statements of a file by line."""

    def __init__(self, tree: ast.Module, lines: Sequence[str]) -> None:
        self._tree = tree
        self._lines = lines
        self._inside = {} if _HAS_INNER_POSITIONS else _strings(tree)

    def string_around(self, node: ast.AST) -> ast.JoinedStr | None:
        """The f-string ``node`` stands in, on Python versions that give no positions inside f-strings (before 3.12)."""
        found = self._inside.get(node)
        return found if found is not node else None

    def statement(self, node: ast.AST) -> Span:
        """The statement ``node`` stands in; of a compound statement its header only."""
        return self.statement_at(self._line(node))

    def _line(self, node: ast.AST) -> int:
        outer = self._inside.get(node)
        return (outer or node).lineno  # type: ignore[attr-defined, no-any-return]

    def statement_at(self, line: int) -> Span:
        """The statement on a 1-based line; a line that holds none is its own statement."""
        found = _statement(self._tree, line)
        if found is None:
            return Span(line, 0, line, len(self._text(line)))
        first, last = header(found)
        return Span(first, found.col_offset if first == found.lineno else 0, last, len(self._text(last)))

    def _text(self, line: int) -> str:
        return self._lines[line - 1].rstrip("\r\n") if 0 < line <= len(self._lines) else ""


def _strings(tree: ast.Module) -> dict[ast.AST, ast.JoinedStr]:
    """The nodes in f-strings, and the outermost f-string around each."""
    found: dict[ast.AST, ast.JoinedStr] = {}
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            for inner in walk(node):
                found.setdefault(inner, node)
            continue
        for name in fields_of(node):
            value = getattr(node, name, None)
            if type(value) is list:
                waiting.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, (ast.expr, ast.arguments)):
                waiting.append(value)
    return found


def _statement(node: ast.AST, line: int) -> ast.stmt | None:
    """The innermost statement inside ``node`` whose header is on ``line``: the first of several."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            if line > (child.end_lineno or child.lineno):
                continue
            first, last = header(child)
            if first <= line:
                found = _statement(child, line) or (child if line <= last else None)
                if found is not None:
                    return found
        elif isinstance(child, ast.excepthandler | ast.match_case):
            found = _statement(child, line)
            if found is not None:
                return found
    return None


def header(node: ast.stmt) -> tuple[int, int]:
    """First and last line of a statement; for a compound statement of what stands before its body."""
    first = node.lineno
    last = node.end_lineno or first
    body = getattr(node, "body", None)
    if isinstance(node, ast.Match):
        return first, node.subject.end_lineno or first
    if not isinstance(body, list) or not body:
        return first, last
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and node.decorator_list:
        first = min(first, node.decorator_list[0].lineno)
    parts = [part.end_lineno or first for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    parts += [item.context_expr.end_lineno or first for item in getattr(node, "items", [])]
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        parts.append(body[0].lineno - 1)
    return first, max([first, *parts])
