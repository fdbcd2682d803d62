"""Rewrites the code under test so that a tracer passes by places it refused, and goes on behind them.

An expression ``e`` becomes ``known.value(7) if known.tracing else known.record(7, e)``; a statement that no expression
stands for becomes an ``if`` of the same kind. Every new node has the position of what it replaces, so lines and columns
mean what they meant before.
"""

from __future__ import annotations

import ast
import contextlib
import copy
import importlib.machinery
from collections.abc import Iterable, Iterator, Sequence
from types import CodeType
from typing import Any, NamedTuple

from .paths import real_path

NAME = "__torchtrace_known__"
_CANNOT_STAND_ALONE = (ast.Starred, ast.Slice, ast.FormattedValue)
_SIMPLE = (
    ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Assert, ast.Delete, ast.Import, ast.ImportFrom,
    ast.FunctionDef, ast.ClassDef,
)  # fmt: skip
_BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})


class Place(NamedTuple):
    """A place to pass by. Columns count characters; ``whole``: its statement, not only the expression there."""

    path: str
    line: int
    column: int | None
    end_column: int | None
    whole: bool


class NoDetourError(Exception):
    """There is no way to leave that place out and keep what is behind it."""


_installed: list[Place] = []


def is_detoured() -> bool:
    """Whether code in this process is rewritten."""
    return bool(_installed)


@contextlib.contextmanager
def standing(places: Iterable[Place]) -> Iterator[None]:
    """Code in this process is rewritten while the block runs."""
    _installed.extend(places)
    try:
        yield
    finally:
        _installed.clear()


def install(places: Iterable[Place]) -> None:
    """Rewrite the files of ``places`` when they are imported from now on. For a process that does nothing else."""
    _installed.extend(places)
    by_path: dict[str, list[Place]] = {}
    for place in _installed:
        by_path.setdefault(place.path, []).append(place)
    loader: Any = importlib.machinery.SourceFileLoader
    original = loader.get_code

    def get_code(self: Any, name: str) -> CodeType | None:
        filename = self.get_filename(name)
        wanted = by_path.get(real_path(filename))
        if wanted is None:
            code: CodeType | None = original(self, name)
            return code
        tree = rewritten(self.get_source(name), wanted)
        return compile(tree, filename, "exec", dont_inherit=True)

    loader.get_code = get_code


def rewritten(source: str, places: Sequence[Place]) -> ast.Module:
    """The tree of ``source`` with a detour around each of ``places``. Raises NoDetourError."""
    tree = ast.parse(source)
    lines = source.split("\n")  # not splitlines(): for Python a form feed or U+2028 ends no line
    changes: dict[ast.AST, int] = {}
    for key, place in enumerate(places):
        node = _node(tree, place, lines)
        changes.setdefault(node, key)
    _Rewriter(changes).visit(tree)
    after = next((at for at, node in enumerate(tree.body) if not _is_prologue(node)), len(tree.body))
    tree.body.insert(after, ast.Import([ast.alias(f"{__package__}.known", NAME)]))
    return ast.fix_missing_locations(tree)


def _is_prologue(node: ast.stmt) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return docstring or (isinstance(node, ast.ImportFrom) and node.module == "__future__")


def _node(tree: ast.Module, place: Place, lines: Sequence[str]) -> ast.AST:
    """The expression or statement to leave out."""
    statement = _statement(tree, place, lines)
    if not place.whole and place.column is not None:
        found = _expression(statement, place, lines)
        if found is not None:
            return _unbinding(found, place)
    if isinstance(statement, _SIMPLE) or (isinstance(statement, ast.With) and statement.items):
        return statement
    head = next(iter(_heads(statement)), None)
    if head is None:
        raise NoDetourError(f"line {place.line} of {place.path}")
    return _unbinding(head, place)


def _unbinding(expression: ast.expr, place: Place) -> ast.expr:
    """``expression``, unless names that it binds would be missing behind it."""
    if any(isinstance(node, ast.NamedExpr) for node in ast.walk(expression)):
        raise NoDetourError(f"line {place.line} of {place.path} binds a name")
    return expression


def _heads(statement: ast.stmt) -> Iterator[ast.expr]:
    """The expression that a statement's first line evaluates."""
    for name in ("value", "test", "iter", "subject"):
        head = getattr(statement, name, None)
        if isinstance(head, ast.expr) and not isinstance(statement, ast.AsyncFor):
            yield head


def _statement(tree: ast.Module, place: Place, lines: Sequence[str]) -> ast.stmt:
    """The innermost statement whose own expressions, or whose first line, are at the place."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and _covers(node, place, lines)]
    if not found:
        raise NoDetourError(f"line {place.line} of {place.path}")
    return max(found, key=lambda node: (node.lineno, node.col_offset))


def _covers(node: ast.stmt, place: Place, lines: Sequence[str]) -> bool:
    ends = [(child.end_lineno, child.end_col_offset) for child in _own(node) if isinstance(child, ast.expr)]
    if not any(name in _BLOCKS for name in node._fields):
        ends.append((node.end_lineno, node.end_col_offset))
    line, column = max([(node.lineno, len(lines[node.lineno - 1].encode())) if not ends else (0, 0), *_known(ends)])
    if place.column is None:
        return node.lineno <= place.line <= line
    at = (place.line, _offset(lines, place.line, place.column))
    return (node.lineno, node.col_offset) <= at < (line, column)


def _known(ends: Iterable[tuple[int | None, int | None]]) -> Iterator[tuple[int, int]]:
    return ((line, column) for line, column in ends if line is not None and column is not None)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements in its blocks."""
    for name, child in ast.iter_fields(statement):
        if name not in _BLOCKS:
            for item in child if isinstance(child, list) else [child]:
                if isinstance(item, ast.AST):
                    yield from ast.walk(item)
    for case in getattr(statement, "cases", ()):
        if case.guard is not None:
            yield from ast.walk(case.guard)


def _expression(statement: ast.stmt, place: Place, lines: Sequence[str]) -> ast.expr | None:
    """The smallest expression of exactly that position; where the end is unknown, that goes on behind the line."""
    start = (place.line, _offset(lines, place.line, place.column or 0))
    found = []
    for node in _own(statement):
        if not isinstance(node, ast.expr) or (node.lineno, node.col_offset) != start:
            continue
        end = (node.end_lineno, node.end_col_offset)
        if place.end_column is None:
            fits = (node.end_lineno or 0) > place.line
        else:
            fits = end == (place.line, _offset(lines, place.line, place.end_column))
        if fits and isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not isinstance(node, _CANNOT_STAND_ALONE):
            found.append(node)
    chosen = min(found, key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0), default=None)
    if isinstance(statement, ast.With) and any(chosen is item.context_expr for item in statement.items):
        return None  # it may as well be the entering that is refused
    if isinstance(chosen, (ast.ListComp, ast.GeneratorExp)):
        return chosen.generators[0].iter  # it is where such a loop begins that a tracer stops at the whole of it
    return chosen.value if isinstance(chosen, ast.NamedExpr) else chosen


def _offset(lines: Sequence[str], line: int, column: int) -> int:
    return len(lines[line - 1][:column].encode()) if 0 < line <= len(lines) else column


class _Rewriter(ast.NodeTransformer):
    """Puts the detours in. A node inside another that is left out is left out with it."""

    def __init__(self, changes: dict[ast.AST, int]) -> None:
        self._changes = changes
        self._recorders: dict[ast.AST, str] = {}

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.For, ast.comprehension)):
            self._recorders[node.iter] = "record_each"
        for child in _tested(node, node in self._recorders):
            self._recorders[child] = "record_truth"
        key = self._changes.get(node)
        if key is None:
            return self.generic_visit(node)
        inside = self.generic_visit(node)
        if isinstance(inside, ast.expr):
            return _instead_of(inside, key, self._recorders.get(node, "record"))
        assert isinstance(inside, ast.stmt)
        return ast.copy_location(_around(inside, key), node)


def _tested(node: ast.AST, is_tested: bool) -> list[ast.expr]:
    """The parts of ``node`` that Python asks for their truth."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values if is_tested else node.values[:-1]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    if isinstance(node, ast.comprehension):
        return node.ifs
    return [node.guard] if isinstance(node, ast.match_case) and node.guard is not None else []


def _instead_of(node: ast.expr, key: int, record: str) -> ast.expr:
    new = ast.IfExp(_attribute("tracing"), _call("value", key), _call(record, key, node))
    _place(new, node, (node,))
    return new


def _around(node: ast.stmt, key: int) -> ast.stmt:
    names = sorted(_bound(node))
    noted: list[ast.stmt] = [ast.Expr(_call("record", key, _names(names, ast.Load())))] if names else []
    given: list[ast.stmt] = [ast.Assign([_names(names, ast.Store())], _call("value", key))] if names else [ast.Pass()]
    kept: tuple[ast.AST, ...] = (node,)
    if isinstance(node, ast.With):
        body = copy.deepcopy(node.body)
        given, kept = given + body, (node, *body)
        node.body = noted + node.body
        otherwise: list[ast.stmt] = [node]
    else:
        otherwise = [node, *noted]
    new = ast.If(_attribute("tracing"), given, otherwise)
    _place(new, node, kept)
    return new


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement, without its blocks, gives a value."""
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).partition(".")[0] for alias in statement.names} - {"*"}
    comprehended = {name for node in _own(statement) if isinstance(node, ast.comprehension) for name in ast.walk(node.target)}
    return {node.id for node in _own(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in comprehended}


def _names(names: Sequence[str], context: ast.expr_context) -> ast.expr:
    return ast.Tuple([ast.Name(name, context) for name in names], context)


def _attribute(name: str) -> ast.expr:
    return ast.Attribute(ast.Name(NAME, ast.Load()), name, ast.Load())


def _call(name: str, key: int, *arguments: ast.expr) -> ast.expr:
    return ast.Call(_attribute(name), [ast.Constant(key), *arguments], [])


def _place(new: ast.AST, old: ast.AST, kept: tuple[ast.AST, ...]) -> None:
    """Give every node of ``new`` that has no position that of ``old``; ``kept`` have theirs."""
    pending: list[ast.AST] = [new]
    while pending:
        node = pending.pop()
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, old)
        pending += [child for child in ast.iter_child_nodes(node) if all(child is not own for own in kept)]
