"""Which part of a comprehension torch means when it names the whole of it.

Python gives the position of the comprehension to the instructions that begin the loop and, in the comprehension's own frame, to
those that jump on a condition and that store a key.
"""

from __future__ import annotations

import ast

from ..model import Span
from .text import Text

_Node = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Comprehensions:
    """The comprehensions of a file by position."""

    def __init__(self, tree: ast.AST, text: Text) -> None:
        self._text = text
        self._nodes: dict[tuple[int, int], list[_Node]] = {}
        for node in ast.walk(tree):
            if isinstance(node, _Node):
                whole = text.span(node)
                self._nodes.setdefault((whole.line, whole.column), []).append(node)

    def meant(self, line: int, column: int, end_column: int | None, function: str) -> Span | None:
        """The part that is meant by these columns in a frame of ``function``; None if they are not those of a comprehension.

        ``end_column`` is None where it ends on another line.
        """
        for node in self._nodes.get((line, column), ()):
            whole = self._text.span(node)
            if end_column == (whole.end_column if whole.end_line == line else None):
                return self._text.span(_inside(node) if function.startswith("<") else node.generators[0].iter)
        return None


def _inside(node: _Node) -> ast.expr:
    conditions = [condition for generator in node.generators for condition in generator.ifs]
    if conditions:
        return conditions[0]
    if isinstance(node, ast.DictComp):
        return node.key
    return node.elt if isinstance(node, ast.SetComp) else node.generators[-1].iter
