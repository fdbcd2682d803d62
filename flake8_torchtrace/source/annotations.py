"""What an annotation says a value is."""

from __future__ import annotations

import ast
from collections.abc import Callable

from flake8_torchtrace.source.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    PYTHON,
    SIZE,
    STR,
    UNKNOWN,
    External,
    Mapping,
    Sequence,
    Tensor,
    Value,
    join_all,
)

Resolve = Callable[[ast.expr], str | Value | None]
"""Gives the dotted name an annotation's name resolves to, or the value of what that name is an alias of."""

_SIMPLE: dict[str, Value] = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": STR,
    "bytes": PYTHON,
    "complex": FLOAT,
    "None": NONE,
    "slice": PYTHON,
    "torch.Size": SIZE,
    "torch.dtype": PYTHON,
    "torch.device": PYTHON,
    "torch.layout": PYTHON,
    "torch.memory_format": PYTHON,
    "torch.types.Number": FLOAT,
    "torch.types.Device": PYTHON,
    "numbers.Number": FLOAT,
}
_TENSOR_DTYPES = {
    "torch.Tensor": "",
    "torch.FloatTensor": "float",
    "torch.DoubleTensor": "float",
    "torch.HalfTensor": "float",
    "torch.BFloat16Tensor": "float",
    "torch.LongTensor": "int",
    "torch.IntTensor": "int",
    "torch.ShortTensor": "int",
    "torch.ByteTensor": "int",
    "torch.CharTensor": "int",
    "torch.BoolTensor": "bool",
    "torch.nn.Parameter": "float",
    "torch.nn.parameter.Buffer": "",
    "torch_geometric.typing.OptTensor": "",
}
_JAXTYPING = {"Bool": "bool", "Float": "float", "Int": "int", "Integer": "int", "UInt": "int", "Shaped": "", "Num": "", "Inexact": "float"}
_SEQUENCES = {"list": "list", "set": "set", "frozenset": "set", "Sequence": "list", "Iterable": "list", "Iterator": "list", "Generator": "list"}
_MAPPINGS = {"dict", "Mapping", "MutableMapping", "OrderedDict", "defaultdict"}


def annotation_value(node: ast.expr | None, resolve: Resolve, origin: str) -> Value | None:
    """The value of something annotated with ``node``; None when there is no annotation or it says nothing.

    ``origin`` is the phrase that messages use for a tensor found this way.
    """
    if node is None:
        return None
    return _value(node, resolve, (origin, getattr(node, "lineno", 0)), 0)


def _value(node: ast.expr, resolve: Resolve, origin: tuple[str, int], depth: int) -> Value | None:
    if depth > 8:
        return None
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NONE
        if isinstance(node.value, str):
            return _from_text(node.value, resolve, origin, depth)
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([node.left, node.right], resolve, origin, depth)
    if isinstance(node, ast.Subscript):
        return _subscripted(node, resolve, origin, depth)
    if isinstance(node, ast.Name | ast.Attribute):
        return _named(resolve(node), origin)
    return None


def _from_text(text: str, resolve: Resolve, origin: tuple[str, int], depth: int) -> Value | None:
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, resolve, origin, depth + 1)
    except (SyntaxError, ValueError):
        return None


def _named(dotted: str | Value | None, origin: tuple[str, int]) -> Value | None:
    if isinstance(dotted, Value):
        return Tensor(dotted.sure, dotted.dtype, origin) if isinstance(dotted, Tensor) else dotted
    if dotted is None:
        return None
    if dotted in _SIMPLE:
        return _SIMPLE[dotted]
    if dotted in _TENSOR_DTYPES:
        return Tensor(True, _TENSOR_DTYPES[dotted], origin)
    last = dotted.rpartition(".")[2]
    if last in ("Tensor", "TensorType") and not dotted.startswith(("tensorflow.", "tf.", "jax.", "onnx.")):
        return Tensor(True, "", origin)
    if last == "OptTensor":
        return join_all([Tensor(True, "", origin), NONE])
    if last in ("list", "tuple", "List", "Tuple"):
        return Sequence(UNKNOWN, None, last.lower())
    if last in ("dict", "Dict"):
        return Mapping(UNKNOWN)
    if last in ("Any", "object", "Self"):
        return None
    return External(dotted)


def _union(nodes: list[ast.expr], resolve: Resolve, origin: tuple[str, int], depth: int) -> Value | None:
    found = [_value(node, resolve, origin, depth + 1) for node in nodes]
    return join_all([UNKNOWN if value is None else value for value in found])


def _subscripted(node: ast.Subscript, resolve: Resolve, origin: tuple[str, int], depth: int) -> Value | None:
    dotted = resolve(node.value)
    if not isinstance(dotted, str):
        return dotted
    last = dotted.rpartition(".")[2]
    inner = node.slice
    arguments = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
    if dotted.startswith("jaxtyping.") or (last in _JAXTYPING and isinstance(arguments[-1], ast.Constant)):
        return Tensor(True, _JAXTYPING.get(last, ""), origin)
    if last == "Optional":
        return join_all([_value(inner, resolve, origin, depth + 1) or UNKNOWN, NONE])
    if last == "Union":
        return _union(arguments, resolve, origin, depth)
    if last in ("Annotated", "Final", "ClassVar", "Required", "NotRequired"):
        return _value(arguments[0], resolve, origin, depth + 1)
    if last.lower() == "tuple":
        return _tuple(arguments, resolve, origin, depth)
    if last in _SEQUENCES or last.lower() in _SEQUENCES:
        element = _value(arguments[0], resolve, origin, depth + 1) or UNKNOWN
        return Sequence(element, None, _SEQUENCES.get(last) or _SEQUENCES[last.lower()])
    if last in _MAPPINGS or last.lower() in _MAPPINGS:
        return Mapping((_value(arguments[-1], resolve, origin, depth + 1) if len(arguments) > 1 else None) or UNKNOWN)
    if last == "Literal":
        return PYTHON
    return _named(dotted, origin)


def _tuple(arguments: list[ast.expr], resolve: Resolve, origin: tuple[str, int], depth: int) -> Value:
    if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is Ellipsis:
        return Sequence(_value(arguments[0], resolve, origin, depth + 1) or UNKNOWN, None, "tuple")
    items = tuple(_value(argument, resolve, origin, depth + 1) or UNKNOWN for argument in arguments)
    return Sequence(join_all(list(items)), items, "tuple")
