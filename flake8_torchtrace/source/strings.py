"""Where an expression inside an f-string stands. Before Python 3.12 ``ast`` does not know; libcst does, and is imported for nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flake8_torchtrace.model import Span
from flake8_torchtrace.source.pause import import_libcst
from flake8_torchtrace.source.segment import source_of, span_of


def span_inside(string: ast.JoinedStr, node: ast.expr, lines: Sequence[str]) -> Span:
    """Where ``node`` stands in the outermost f-string ``string``: that of the whole string where libcst cannot read it as ``ast`` does."""
    whole = span_of(string, lines)
    fields = [list(_in_order(field.value)) for field in _in_order(string) if isinstance(field, ast.FormattedValue)]
    texts = _fields(source_of(string, lines))
    if len(texts) != len(fields):
        return whole
    for parts, text in zip(reversed(fields), reversed(texts), strict=True):  # of nested fields the inner one comes first
        if node in parts:
            copy = list(_in_order(ast.parse(text, mode="eval").body))[parts.index(node)]
            assert isinstance(copy, ast.expr)
            found = span_of(copy, text.split("\n"))
            first, last = (whole.column if line == 1 else 0 for line in (found.line, found.end_line))
            above = whole.line - 1
            return Span(found.line + above, found.column + first, found.end_line + above, found.end_column + last)
    return whole


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all in it, in the order of the source."""
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _fields(string: str) -> list[str]:
    """The expressions of an f-string, in order, each in parentheses and with blanks before it, so that it stands where it stands in the string."""
    import_libcst()
    import libcst
    from libcst.metadata import MetadataWrapper, PositionProvider

    class Fields(libcst.CSTVisitor):
        METADATA_DEPENDENCIES = (PositionProvider,)

        def __init__(self) -> None:
            super().__init__()
            self.found: list[str] = []

        def visit_FormattedStringExpression(self, node: libcst.FormattedStringExpression) -> None:  # noqa: N802
            brace = self.get_metadata(PositionProvider, node).start
            blanks = "\n" * (brace.line - 1) + " " * (brace.column + 1 if brace.line > 1 else brace.column - 1)
            code = libcst.Module([]).code_for_node
            self.found.append(f"({blanks}{code(node.whitespace_before_expression)}{code(node.expression)})")

    fields = Fields()
    try:
        MetadataWrapper(libcst.parse_module(f"({string})"), unsafe_skip_copy=True).visit(fields)
    except libcst.ParserSyntaxError:
        return []
    return fields.found
