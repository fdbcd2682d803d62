"""Which kind of numbers the tensor that a call of torch returns holds, as far as the call tells."""

from __future__ import annotations

import ast

from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.values import (
    Python,
    Ref,
    Sequence,
    Value,
    drop_none,
    tensor_of,
)

_KEEPS_DTYPE = {
    "unsqueeze", "squeeze", "view", "reshape", "flatten", "expand", "expand_as", "permute", "transpose", "t", "contiguous", "clone",
    "detach", "repeat", "flip", "roll", "index_select", "gather", "unfold", "view_as", "reshape_as", "repeat_interleave", "cat",
    "concat", "stack", "chunk", "split", "unbind", "narrow", "select", "masked_fill", "triu", "tril", "movedim", "swapaxes", "tile",
    "broadcast_to", "unflatten", "diagonal", "cuda", "cpu", "zeros_like", "ones_like", "full_like", "empty_like", "pad",
    "take_along_dim", "atleast_1d", "atleast_2d", "ravel", "clamp", "minimum", "maximum", "abs", "max", "min", "new_zeros", "new_ones",
}  # fmt: skip

_CASTS = {
    "bool": "bool", "long": "int", "int": "int", "short": "int", "byte": "int", "float": "float", "double": "float", "half": "float",
    "bfloat16": "float",
}  # fmt: skip
_DEFAULT_FLOAT = {"zeros", "ones", "empty", "linspace", "rand", "randn", "mean", "interpolate", "normalize", "softmax", "log_softmax", "linear"}


def result_dtype(name: str, args: list[Value], keywords: dict[str, Value], node: ast.Call | None) -> str:
    """The dtype class of a result, as far as the call tells."""
    stated = keywords.get("dtype")
    if stated is None and name in ("to", "type") and len(args) > 1:
        stated = args[1]
    if isinstance(stated, Ref):
        return _dtype_of_name(stated.dotted)
    if stated is not None:
        return ""
    plain = name.rstrip("_")
    fixed = load().result_dtype(name) or load().result_dtype(plain)
    if fixed is not None:
        return fixed if fixed in ("bool", "int", "float") else ""
    if plain in _CASTS:
        return _CASTS[plain]
    if plain in _KEEPS_DTYPE and args:
        return _first_dtype(args)
    if plain in ("arange",):
        return "float" if any(isinstance(arg, Python) and arg.type == "float" for arg in args) else "int"
    if plain in ("sum", "cumsum", "prod") and args:
        first = _first_dtype(args)
        return "int" if first in ("bool", "int") else first
    if plain in _DEFAULT_FLOAT:
        return "float"
    if plain in ("full",) and len(args) > 1:
        return {"bool": "bool", "int": "int", "float": "float"}.get(args[1].type, "") if isinstance(args[1], Python) else ""
    if plain in ("tensor", "as_tensor") and args:
        return _literal_dtype(args[0])
    if plain in ("where",) and len(args) == 3:
        return _joined_dtype(args[1], args[2])
    if plain in ("bitwise_and", "bitwise_or", "bitwise_not", "bitwise_xor"):
        return _first_dtype(args)
    return ""


def _first_dtype(args: list[Value]) -> str:
    first = drop_none(args[0])
    if isinstance(first, Sequence):
        first = first.element
    tensor = tensor_of(first)
    return tensor.dtype if tensor is not None else ""


def _joined_dtype(first: Value, second: Value) -> str:
    kinds = [tensor.dtype if (tensor := tensor_of(value)) else getattr(value, "type", "") for value in (first, second)]
    return kinds[0] if kinds[0] == kinds[1] else ""


def _literal_dtype(value: Value) -> str:
    while isinstance(value, Sequence):
        value = value.element
    return {"bool": "bool", "int": "int", "float": "float"}.get(value.type, "") if isinstance(value, Python) else ""


def _dtype_of_name(dotted: str) -> str:
    last = dotted.rpartition(".")[2]
    if last in ("bool", "BoolTensor"):
        return "bool"
    if last.startswith(("int", "uint", "long", "short", "Long", "Int")):
        return "int"
    return "float" if last.startswith(("float", "double", "half", "bfloat", "complex")) else ""
