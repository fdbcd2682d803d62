"""Parts of a statement that Python may pass over although the statement runs: lines alone then prove nothing of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ..model import Span
from .text import Text, contains


@dataclass(frozen=True)
class Part:
    """An expression that need not be evaluated. ``has_own_lines``: its lines run only if it is."""

    span: Span
    has_own_lines: bool


def conditional_parts(tree: ast.AST, text: Text) -> list[Part]:
    """All such parts in ``tree``: behind ``and``/``or``, in ``a if b else c``, in comprehensions, lambdas, assert messages."""
    return [Part(text.span(node), has_own_lines) for parent in ast.walk(tree) for node, has_own_lines in _children(parent)]


def innermost(parts: list[Part], span: Span) -> Part | None:
    """The smallest part that contains ``span``."""
    found = [part for part in parts if contains(part.span, span)]
    return max(found, key=lambda part: (part.span.line, part.span.column, -part.span.end_line, -part.span.end_column), default=None)


def _children(parent: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    if isinstance(parent, ast.BoolOp):
        for before, node in zip(parent.values, parent.values[1:], strict=False):
            yield node, node.lineno > (before.end_lineno or before.lineno)
    elif isinstance(parent, ast.Compare):
        yield from ((node, False) for node in parent.comparators[1:])
    elif isinstance(parent, ast.IfExp):
        yield from ((parent.body, False), (parent.orelse, False))
    elif isinstance(parent, ast.Lambda):
        yield parent.body, False
    elif isinstance(parent, ast.Assert) and parent.msg is not None:
        yield parent.msg, False
    elif isinstance(parent, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        yield from ((node, False) for node in _inside_loop(parent))


def _inside_loop(comprehension: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[ast.expr]:
    if isinstance(comprehension, ast.DictComp):
        yield from (comprehension.key, comprehension.value)
    else:
        yield comprehension.elt
    for number, generator in enumerate(comprehension.generators):
        yield from generator.ifs
        if number > 0:
            yield generator.iter
