"""What is known of names once a test has come out one way."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source.attributes import path_of
from flake8_torchtrace.source.definitions import FunctionInfo
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.names import dotted_of
from flake8_torchtrace.source.values import (
    NONE,
    PYTHON,
    UNKNOWN,
    Func,
    Python,
    Tensor,
    Union,
    Value,
    drop_none,
    join_all,
    options,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

_PYTHON_TYPES = {"int": "int", "float": "float", "bool": "bool", "str": "str", "numbers.Number": "float"}


def assume(it: Interpreter, test: ast.expr, frame: Frame, positive: bool) -> None:
    """Change ``frame``'s names to what holds where ``test`` was true (or false, for ``positive`` False)."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        assume(it, test.operand, frame, not positive)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is positive:
            for operand in test.values:
                assume(it, operand, frame, positive)
    elif isinstance(test, ast.Compare):
        _assume_compare(it, test, frame, positive)
    elif isinstance(test, ast.Call):
        _assume_call(it, test, frame, positive)
    elif isinstance(test, ast.NamedExpr):
        assume(it, test.target, frame, positive)
    elif positive and isinstance(test, ast.Name | ast.Attribute):
        _rebind(it, test, frame, drop_none)


def _assume_compare(it: Interpreter, test: ast.Compare, frame: Frame, positive: bool) -> None:
    if len(test.ops) != 1 or not isinstance(test.ops[0], ast.Is | ast.IsNot | ast.Eq | ast.NotEq):
        return
    other = test.comparators[0]
    if not (isinstance(other, ast.Constant) and other.value is None):
        return
    is_none = isinstance(test.ops[0], ast.Is | ast.Eq) is positive
    target = test.left.target if isinstance(test.left, ast.NamedExpr) else test.left
    _rebind(it, target, frame, (lambda value: NONE) if is_none else drop_none)


def _assume_call(it: Interpreter, test: ast.Call, frame: Frame, positive: bool) -> None:
    name = dotted_of(test.func)
    if name == "isinstance" and len(test.args) == 2:
        wanted = _types(it, test.args[1], frame)
        if wanted is not None:
            _rebind(it, test.args[0], frame, lambda value: _keep_types(value, wanted, positive, test.lineno))
        return
    if test.args and name is not None and it.resolve(test.func, frame) == "torch.is_tensor":
        _rebind(it, test.args[0], frame, lambda value: _keep_types(value, {"torch.Tensor"}, positive, test.lineno))
        return
    _assume_predicate(it, test, frame, positive)


def _assume_predicate(it: Interpreter, test: ast.Call, frame: Frame, positive: bool) -> None:
    """``exists(x)`` with ``def exists(v): return v is not None`` says of ``x`` what its body says of ``v``."""
    callee = frame.values.get(test.func)
    if not isinstance(callee, Func) or len(test.args) != 1 or test.keywords:
        return
    body = _single_return(callee.info)
    parameters = callee.info.node.args.args
    if body is None or len(parameters) != 1:
        return
    inner = Frame(callee.info, {parameters[0].arg: frame.values.get(test.args[0], UNKNOWN)}, frame.chain, frame.owner)
    assume(it, body, inner, positive)
    _rebind(it, test.args[0], frame, lambda value: inner.env[parameters[0].arg])


def _single_return(info: FunctionInfo) -> ast.expr | None:
    if isinstance(info.node, ast.Lambda):
        return info.node.body
    body = [statement for statement in info.node.body if not isinstance(statement, ast.Expr)]
    if len(body) == 1 and isinstance(body[0], ast.Return):
        return body[0].value
    return None


def _types(it: Interpreter, node: ast.expr, frame: Frame) -> set[str] | None:
    nodes = node.elts if isinstance(node, ast.Tuple) else [node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        nodes = [node.left, node.right]
    found = {it.resolve(item, frame) for item in nodes}
    return None if None in found else {name for name in found if name is not None}


def _keep_types(value: Value, wanted: set[str], positive: bool, line: int) -> Value:
    wanted = {name.removeprefix("builtins.") for name in wanted}
    has_tensor = bool(wanted & {"torch.Tensor", "torch.nn.Parameter", "torch.LongTensor", "torch.FloatTensor"})
    if positive:
        kept = [option for option in options(value) if _matches(option, wanted, has_tensor)]
        if any(option is UNKNOWN for option in kept) or not kept:
            if has_tensor and len(wanted) == 1:
                return Tensor(True, "", ("an isinstance test", line))
            if wanted <= set(_PYTHON_TYPES):
                return Python(_PYTHON_TYPES[next(iter(wanted))]) if len(wanted) == 1 else PYTHON
        if has_tensor and len(wanted) == 1 and all(isinstance(option, Tensor) for option in kept):
            first = kept[0]
            return Tensor(True, first.dtype, first.origin) if isinstance(first, Tensor) else value
        return join_all(kept) if kept else value
    rest = [option for option in options(value) if not (_matches(option, wanted, has_tensor) and option is not UNKNOWN)]
    if isinstance(value, Union):
        return join_all(rest) if rest else PYTHON
    if isinstance(value, Tensor) and has_tensor:
        return PYTHON if value.sure else UNKNOWN
    return value


def _matches(option: Value, wanted: set[str], has_tensor: bool) -> bool:
    if isinstance(option, Tensor):
        return has_tensor
    if isinstance(option, Python):
        return not option.type or option.type in wanted or (option.type == "bool" and "int" in wanted)
    return True


def _rebind(it: Interpreter, node: ast.expr, frame: Frame, change: Callable[[Value], Value]) -> None:
    if isinstance(node, ast.Name):
        value = frame.lookup(node.id)
        if value is None:
            return
        key = node.id
    else:
        path = path_of(node)
        if path is None:
            return
        value = frame.env.get(path, frame.values.get(node, UNKNOWN))
        key = path
    frame.env[key] = change(value)
