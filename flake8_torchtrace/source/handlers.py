"""What calls of the standard library, of einops and of torch's control flow do that takes more than a declaration to say."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source import calls
from flake8_torchtrace.source.definitions import class_info
from flake8_torchtrace.source.elements import element_of, items_of
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    UNKNOWN,
    Class,
    Drawn,
    External,
    Instance,
    Sequence,
    Tensor,
    Value,
    drop_none,
    join,
    join_all,
    tensor_of,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

Keywords = dict[str, Value]


def _operator(op: ast.operator | ast.cmpop) -> Callable[..., Value]:
    """A function of the module ``operator``."""

    def apply(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        from flake8_torchtrace.source.expressions import combine, compare_pair

        if len(args) != 2:
            return UNKNOWN
        left, right = args
        return combine(left, right, op) if isinstance(op, ast.operator) else compare_pair(left, right, op)

    return apply


def _truth(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if node is not None and node.args and args:
        it.tested(node.args[0], args[0], frame, "operator")
    return BOOL


def _draw(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    """A number that compile makes an input of the graph."""
    callee = "" if node is None else ast.unparse(node.func)
    return FLOAT if node is None else Drawn(node, callee.endswith(("randint", "randrange")), "random")


def _setattr(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    from flake8_torchtrace.source.attributes import store_attribute

    name = node.args[1] if node is not None and len(node.args) == 3 else None
    if node is not None and len(args) == 3 and isinstance(name, ast.Constant) and isinstance(name.value, str):
        if isinstance(args[0], Instance):
            store_attribute(it.stored(args[0].info), name.value, args[2])
        if isinstance(node.args[0], ast.Name):
            frame.env[f"{node.args[0].id}.{name.value}"] = args[2]
    return NONE


def _named_tuple(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    """``namedtuple("Name", "a b")`` is a class with those attributes."""
    given = node.args[1] if node is not None and len(node.args) > 1 else None
    try:
        stated = ast.literal_eval(given) if given is not None else ()
    except ValueError:
        return UNKNOWN
    fields = stated.replace(",", " ").split() if isinstance(stated, str) else [str(field) for field in stated]
    lines = ["class NamedTuple:", *(f"    {field}: object" for field in fields if field.isidentifier())]
    made = ast.parse("\n".join(lines)).body[0] if len(lines) > 1 else None
    return Class(class_info(made, "")) if isinstance(made, ast.ClassDef) else UNKNOWN


def _loop(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    """``torch.while_loop(cond, body, operands)``."""
    operands = list(items_of(args[2]) or []) if len(args) > 2 else []
    results = [calls.call_value(it, function, operands, {}, None, frame) for function in args[:2]]
    return join(args[2], results[1]) if len(results) == 2 and len(args) > 2 else UNKNOWN


def _in_turn(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    """``checkpoint_sequential(modules, segments, x)``."""
    if len(args) < 3:
        return UNKNOWN
    if isinstance(args[0], Sequence):
        args[0] = External("torch.nn.Sequential", (Sequence(element_of(it, args[0], frame), None, "*"),))
    return calls.call_value(it, args[0], args[2:], {}, None, frame)


def _tensor_like(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    first = tensor_of(drop_none(args[0])) if args else None
    return Tensor(True, first.dtype if first else "", ("einops", getattr(node, "lineno", 0)))


def _einops_pack(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    packed = Tensor(True, "", ("einops.pack", getattr(node, "lineno", 0)))
    return Sequence(UNKNOWN, (packed, Sequence(INT, None, "list")), "tuple")


def _einops_unpack(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return Sequence(Tensor(True, "", ("einops.unpack", getattr(node, "lineno", 0))), None, "list")


def _call_first(skip: int = 1) -> Callable[..., Value]:
    """For functions that call what they are given with the rest: ``checkpoint(f, x)``."""

    def run(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        if not args:
            return UNKNOWN
        given = {name: value for name, value in keywords.items() if name not in ("use_reentrant", "preserve_rng_state", "context_fn")}
        return calls.call_value(it, args[0], args[skip:], given, None, frame)

    return run


def _cond(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    operands = args[3] if len(args) > 3 else keywords.get("operands", UNKNOWN)
    given = list(items_of(operands) or [])
    return join_all([calls.call_value(it, branch, given, {}, None, frame) for branch in args[1:3]])


def _functional_call(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if not args:
        return UNKNOWN
    given = args[2] if len(args) > 2 else UNKNOWN
    return calls.call_value(it, args[0], list(items_of(given) or [given]), {}, None, frame)


HANDLERS: dict[str, Callable[..., Value]] = {
    "torch.utils.checkpoint.checkpoint_sequential": _in_turn,
    "torch.utils.checkpoint.checkpoint": _call_first(), "torch.cond": _cond, "torch._higher_order_ops.cond": _cond,
    "functorch.experimental.control_flow.cond": _cond, "torch.func.functional_call": _functional_call,
    "einops.rearrange": _tensor_like, "einops.reduce": _tensor_like, "einops.repeat": _tensor_like, "einops.einsum": _tensor_like,
    "einops.pack": _einops_pack, "einops.unpack": _einops_unpack, "einx.get_at": _tensor_like,
    "torch.while_loop": _loop, "torch._higher_order_ops.while_loop": _loop, "torch._higher_order_ops.while_loop.while_loop": _loop,
    "builtins.setattr": _setattr, "collections.namedtuple": _named_tuple, "operator.truth": _truth, "operator.not_": _truth,
    **{f"random.{name}": _draw for name in ("randint", "randrange", "uniform")},
    **{f"random.Random.{name}": _draw for name in ("randint", "randrange", "uniform", "random")},
    **{f"operator.{name}": _operator(op) for name, op in (
        ("gt", ast.Gt()), ("lt", ast.Lt()), ("ge", ast.GtE()), ("le", ast.LtE()), ("eq", ast.Eq()), ("ne", ast.NotEq()), ("add", ast.Add()),
        ("sub", ast.Sub()), ("mul", ast.Mult()), ("truediv", ast.Div()), ("matmul", ast.MatMult()), ("and_", ast.BitAnd()),
        ("or_", ast.BitOr()), ("mod", ast.Mod()), ("pow", ast.Pow()))},
}
