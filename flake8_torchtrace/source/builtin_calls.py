"""What calls of builtins, and of what works like them, return."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source import calls
from flake8_torchtrace.source.elements import element_of, items_of
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.guards import is_guard
from flake8_torchtrace.source.sizes import is_data_size
from flake8_torchtrace.source.values import (
    BOOL,
    DATA_SIZE,
    FLOAT,
    INT,
    UNKNOWN,
    Drawn,
    External,
    Func,
    Instance,
    Mapping,
    Python,
    Ref,
    Sequence,
    Super,
    Tensor,
    Value,
    drop_none,
    join,
    join_all,
    known_truth,
    tensor_of,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

Keywords = dict[str, Value]


def _len(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return DATA_SIZE if args and isinstance(args[0], Tensor) and args[0].has_data_size else INT


def _number(kind: Value) -> Callable[..., Value]:
    def convert(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        if args and node is not None:
            first = drop_none(args[0])
            if isinstance(first, Drawn):
                return first
            if is_data_size(first):
                return DATA_SIZE
            tensor = tensor_of(first)
            if tensor is not None:
                return Drawn(node, tensor.sure, "number")
        truth = known_truth(args[0]) if args and kind is BOOL else None
        return kind if truth is None else Python("bool", truth)

    return convert


def _range(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if node is not None:
        for value in args:
            it.decided(value, node)
    return Sequence(INT, None, "range")


def _zip(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    elements = tuple(element_of(it, arg, frame) for arg in args)
    return Sequence(Sequence(join_all(list(elements)), elements, "tuple"), None, "list")


def _enumerate(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    element = element_of(it, args[0], frame) if args else UNKNOWN
    return Sequence(Sequence(UNKNOWN, (INT, element), "tuple"), None, "list")


def _copy_sequence(kind: str) -> Callable[..., Value]:
    def convert(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        if not args:
            return Sequence(UNKNOWN, (), kind)
        element = element_of(it, args[0], frame)
        call_key(it, keywords, [element], node, frame)
        return Sequence(element, items_of(args[0]) if kind in ("list", "tuple") else None, kind)

    return convert


def call_key(it: Interpreter, keywords: Keywords, values: list[Value], node: ast.Call | None, frame: Frame) -> None:
    """``sorted``, ``min`` and their kin call the function given as ``key`` with each of ``values``, and compare what it gives."""
    key = drop_none(keywords.get("key", UNKNOWN))
    results = [calls.call_value(it, key, [value], {}, None, frame) for value in values]
    if "key" in keywords and results and node is not None:
        it.ordered(node, join_all(results), frame)


def _sum(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    element = element_of(it, args[0], frame) if args else UNKNOWN
    return FLOAT if isinstance(element, Python) else element


def _extreme(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    found = args if len(args) > 1 else [element_of(it, args[0], frame)] if args else []
    call_key(it, keywords, found, node, frame)
    for value in found:
        tensor = tensor_of(value)
        if tensor is not None:
            return tensor
    for value in found:
        if isinstance(value, Drawn):
            return value
    return join_all(found)


def _all_any(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if args and node is not None and node.args:
        argument = node.args[0]
        element = element_of(it, args[0], frame)
        asked = argument.elt if isinstance(argument, ast.GeneratorExp | ast.ListComp) else argument
        it.tested(asked, element, frame, "any/all")
        if isinstance(element, Drawn):
            return element
    return BOOL


def _getattr(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    from flake8_torchtrace.source.attributes import attribute_value

    name = node.args[1] if node is not None and len(node.args) > 1 else None
    if not args or not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return UNKNOWN
    found = attribute_value(it, args[0], name.value, None, frame)
    return join(found, args[2]) if len(args) > 2 and not is_guard(found) else found


def _super(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    owner, bound = it.method_context(frame)
    return Super(owner, bound) if owner is not None and bound is not None else UNKNOWN


def _dict(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    keys = tuple((name, value) for name, value in keywords.items() if name != "**")
    if args and isinstance(args[0], Mapping):
        return Mapping(join_all([args[0].element, *keywords.values()]), (*args[0].keys, *keys))
    return Mapping(join_all(list(keywords.values())), keys)


def _partial(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if args and isinstance(args[0], Func):
        found = args[0]
        return Func(found.info, found.bound, found.closure, (*found.args, *args[1:]))
    return args[0] if args and isinstance(args[0], Ref | External | Instance) else UNKNOWN


def _map(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if not args:
        return UNKNOWN
    elements = [element_of(it, arg, frame) for arg in args[1:]]
    return Sequence(calls.call_value(it, args[0], elements, {}, None, frame), None, "list")


def _filter(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if len(args) < 2:
        return UNKNOWN
    element = element_of(it, args[1], frame)
    result = calls.call_value(it, args[0], [element], {}, None, frame)
    if node is not None:
        it.tested(node.args[0], result, frame, "filter")
    return Sequence(element, None, "list")


def _reduce(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if len(args) < 2:
        return UNKNOWN
    element = element_of(it, args[1], frame)
    return calls.call_value(it, args[0], [element, element], {}, None, frame)


def _first_argument(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return args[0] if args else UNKNOWN


def _second_argument(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return args[1] if len(args) > 1 else UNKNOWN


def _next(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return element_of(it, args[0], frame) if args else UNKNOWN


def _chain(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return Sequence(join_all([element_of(it, arg, frame) for arg in args]), None, "list")


BUILTINS: dict[str, Callable[..., Value]] = {
    "builtins.len": _len, "builtins.int": _number(INT), "builtins.float": _number(FLOAT), "builtins.bool": _number(BOOL),
    "builtins.complex": _number(FLOAT), "operator.index": _number(INT), "builtins.range": _range, "builtins.zip": _zip,
    "builtins.enumerate": _enumerate, "builtins.list": _copy_sequence("list"), "builtins.tuple": _copy_sequence("tuple"),
    "builtins.set": _copy_sequence("set"), "builtins.frozenset": _copy_sequence("set"), "builtins.sorted": _copy_sequence("sorted"),
    "builtins.reversed": _copy_sequence("reversed"), "builtins.iter": _copy_sequence("list"), "builtins.sum": _sum,
    "builtins.min": _extreme, "builtins.max": _extreme, "builtins.all": _all_any, "builtins.any": _all_any,
    "builtins.getattr": _getattr, "builtins.super": _super, "builtins.dict": _dict, "collections.OrderedDict": _dict,
    "collections.deque": _copy_sequence("list"), "collections.defaultdict": lambda *_: Mapping(UNKNOWN), "functools.partial": _partial,
    "builtins.map": _map, "builtins.filter": _filter, "functools.reduce": _reduce,
    "builtins.next": _next, "builtins.abs": _first_argument, "builtins.round": _first_argument, "builtins.pow": _first_argument,
    "copy.copy": _first_argument, "copy.deepcopy": _first_argument, "typing.cast": _second_argument,
    "itertools.chain": _chain, "contextlib.nullcontext": _first_argument,
    **{f"math.{name}": _number(FLOAT) for name in (
        "sqrt", "exp", "log", "log2", "log10", "floor", "ceil", "sin", "cos", "tan", "pow", "fabs", "isnan", "isinf", "isfinite",
        "trunc", "tanh", "atan2", "prod", "isclose", "log1p", "expm1", "degrees", "radians", "hypot", "copysign", "fmod", "gcd")},
}  # fmt: skip
