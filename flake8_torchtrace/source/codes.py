"""From the return codes of `knowledge` to values."""

from __future__ import annotations

import ast

from flake8_torchtrace.source.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    PYTHON,
    SIZE,
    STR,
    UNKNOWN,
    Drawn,
    External,
    Func,
    Origin,
    Python,
    Sequence,
    Tensor,
    Value,
    join_all,
    tensor_of,
)

_PLAIN: dict[str, Value] = {
    "size": SIZE,
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "str": STR,
    "none": NONE,
    "dtype": PYTHON,
    "device": PYTHON,
    "int*": Sequence(INT, None, "tuple"),
    "list": Sequence(UNKNOWN, None, "list"),
    "number": FLOAT,
    "ndarray": External("numpy.ndarray"),
    "?": UNKNOWN,
}


def code_value(code: str, origin: Origin | None, node: ast.expr | None, sure: bool = True, dtype: str = "") -> Value:
    """The value that ``code`` stands for. ``node`` is the call that a Python number read out of a tensor comes from."""
    if code == "T":
        return Tensor(sure, dtype, origin, is_computed=True)
    if code == "T*":
        return Sequence(Tensor(sure, dtype, origin, is_computed=True), None, "tuple")
    if code.startswith("T*"):
        items: tuple[Value, ...] = tuple(Tensor(sure, dtype, origin, is_computed=True) for _ in range(int(code[2:])))
        return Sequence(items[0] if items else UNKNOWN, items, "tuple")
    if code == "number" and node is not None:
        return Drawn(node, sure)
    if code == "list" and node is not None:
        return Sequence(Drawn(node, sure), None, "list")
    if code.startswith("("):
        items = tuple(code_value(part, origin, node, sure, dtype) for part in _parts(code[1:-1]))
        return Sequence(join_all(list(items)), items, "tuple")
    if code != "?" and code.endswith("?"):
        return join_all([code_value(code[:-1], origin, node, sure, dtype), NONE])
    return _PLAIN.get(code, UNKNOWN)


def _parts(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def kind_code(value: Value) -> str | None:
    """The code of an argument, for choosing among overloads; None when it is not known."""
    if tensor_of(value) is not None:
        return "T" if isinstance(value, Tensor) else None
    if isinstance(value, Python):
        if value.type == "bool":
            return "bool" if value.const is None else "true" if value.const else "false"
        return {"int": "int", "float": "float", "str": "str", "None": "none"}.get(value.type)
    if isinstance(value, Drawn):
        return "int"
    if isinstance(value, Sequence):
        if value.type == "size":
            return "size"
        return "T*" if isinstance(value.element, Tensor) else "list"
    if isinstance(value, Func):
        return "callable"
    return None
