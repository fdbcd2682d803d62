"""The test that failed: of an ``assert``, or of the ``if`` around a ``raise``."""

from __future__ import annotations

import ast
import functools
import linecache
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any


@dataclass
class Unmet:
    """``pairs``: what a number is and what it should be; ``names`` in the test, as written last (``config.dim``: dim).

    ``options`` are values that would do, ``classes`` those that something should be an instance of.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    options: list[Any] = field(default_factory=list)
    classes: list[Any] = field(default_factory=list)


@functools.cache
def _tree(path: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(path)))
    except (SyntaxError, ValueError, OSError, MemoryError):
        return None


def unmet(frame: FrameType, line: int) -> Unmet:
    """What the statement at ``line`` of the frame's file wanted and did not get; all names of the statement if it is no test."""
    found = Unmet()
    tree = _tree(frame.f_code.co_filename)
    if tree is None:
        return found
    statement, around = _statement(tree, line)
    if isinstance(statement, ast.Assert):
        _collect(statement.test, True, frame, found)
    elif isinstance(statement, ast.Raise):
        for test, polarity in around:
            _collect(test, not polarity, frame, found)
        for node in ast.walk(statement):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                continue
            if isinstance(node, (ast.Name, ast.Attribute)):
                _name(node, found)
    elif statement is not None:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Name, ast.Attribute)):
                _name(node, found)
    return found


def _statement(tree: ast.Module, line: int) -> tuple[ast.stmt | None, list[tuple[ast.expr, bool]]]:
    """The innermost statement at ``line``, and the tests of the ``if`` statements around it with the branch taken, innermost first."""
    around: list[tuple[ast.expr, bool]] = []
    body: list[ast.stmt] = tree.body
    statement: ast.stmt | None = None
    while True:
        inner = next((item for item in body if item.lineno <= line <= (item.end_lineno or item.lineno)), None)
        if inner is None:
            return statement, around[:1]
        statement = inner
        if isinstance(inner, ast.If):
            in_body = any(item.lineno <= line <= (item.end_lineno or item.lineno) for item in inner.body)
            in_else = any(item.lineno <= line <= (item.end_lineno or item.lineno) for item in inner.orelse)
            if in_body or in_else:
                around.insert(0, (inner.test, in_body))
        blocks = [getattr(inner, name, []) for name in ("body", "orelse", "finalbody")]
        blocks += [handler.body for handler in getattr(inner, "handlers", [])]
        block = next((b for b in blocks if b and any(i.lineno <= line <= (i.end_lineno or i.lineno) for i in b)), None)
        if block is None:
            return statement, around[:1]
        body = block


def _collect(test: ast.expr, wanted: bool, frame: FrameType, found: Unmet) -> None:
    """Gather what of ``test`` is not as ``wanted``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _collect(test.operand, not wanted, frame, found)
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            if _value(value, frame, default=not wanted) != wanted:
                _collect(value, wanted, frame, found)
        return None
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        _compare(test, wanted, frame, found)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id == "isinstance" and len(test.args) == 2 and wanted:
        classes = _value(test.args[1], frame)
        found.classes += [cls for cls in (classes if isinstance(classes, tuple) else (classes,)) if isinstance(cls, type)]
    for node in ast.walk(test):
        if isinstance(node, (ast.Name, ast.Attribute)):
            _name(node, found)
    return None


def _compare(test: ast.Compare, wanted: bool, frame: FrameType, found: Unmet) -> None:
    left, right = _value(test.left, frame), _value(test.comparators[0], frame)
    operation = test.ops[0]
    if isinstance(operation, (ast.In, ast.NotIn)) and isinstance(right, (list, tuple, set, frozenset, dict)):
        found.options.extend(list(right)[:8])
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)) and len(left) == len(right):
        found.pairs += [(a, b) for a, b in zip(left, right, strict=True) if _is_number(a) and _is_number(b) and a != b]
    if not (_is_number(left) and _is_number(right)):
        if isinstance(operation, (ast.Eq, ast.NotEq)):
            found.options += [side for side in (right, left) if isinstance(side, str)]
        return
    if isinstance(test.left, ast.BinOp) and isinstance(test.left.op, ast.Mod) and right == 0:
        number, divisor = _value(test.left.left, frame), _value(test.left.right, frame)
        if _is_number(number) and _is_number(divisor) and divisor > 0:
            found.pairs += [(number, -(-number // divisor) * divisor), (number, divisor), (divisor, 1), (divisor, 2), (divisor, number)]
        return
    if isinstance(operation, (ast.Eq, ast.NotEq)):
        found.pairs += [(left, right), (right, left)]
    elif isinstance(operation, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        low, high = (right, left) if isinstance(operation, (ast.Lt, ast.LtE)) == wanted else (left, right)
        found.pairs += [(high, low + 1), (low, high + 1), (low, 2 * high), (high, max(low - 1, 1)), (high, low), (low, high)]


def _value(node: ast.expr, frame: FrameType, default: Any = None) -> Any:
    try:
        code = compile(ast.Expression(node), "<test>", "eval")
        return eval(code, frame.f_globals, {**frame.f_locals})
    except BaseException:
        return default


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _name(node: ast.AST, found: Unmet) -> None:
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    if name and name not in found.names and name != "self":
        found.names.append(name)


def iter_user_frames(frames: list[tuple[FrameType, int]], torch_folder: str) -> Iterator[tuple[FrameType, int]]:
    """The frames of the failure that are not torch's or this package's, innermost first."""
    for frame, line in reversed(frames):
        path = frame.f_code.co_filename
        if path.startswith(("<", torch_folder)) or "flake8_torchtrace" in path:
            continue
        yield frame, line
