"""Values in a form that can leave their file: JSON, with the classes and functions of a file named by their dotted names.

==================  =================================  =================================  ==========================
``null``            nothing known                      ``["R", dotted]``                  `Ref`, `Func`, `Class`
``"N"``             None                               ``["X", dotted, args]``            `External`, `Instance`
``["T", s, d, f]``  `Tensor`; f: 1 is_scalar,          ``["m", receiver, name]``          `Method`, bound `Func`
                    2 by_convention
``["P", t, c]``     `Python` (type, const)             ``["S", element, items, type]``    `Sequence`
``["D", s, by]``    `Drawn` (sure, by)                 ``["M", element, [[key, v]..]]``   `Mapping`
``["U", [..]]``     `Union`
==================  =================================  =================================  ==========================
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from flake8_torchtrace.source.values import (
    NONE,
    UNKNOWN,
    Class,
    Drawn,
    External,
    Func,
    Instance,
    Mapping,
    Method,
    Python,
    Ref,
    Sequence,
    Tensor,
    Union,
    Value,
    join_all,
)

Json = Any
_DEEPEST = 5
_MOST_ITEMS = 10


def value_to_json(value: Value, module: str, depth: int = 0) -> Json:
    """``value``, seen in the file ``module``, as JSON. What only means something inside its file (a lambda, ``super()``) becomes unknown."""
    if value == NONE:
        return "N"
    if isinstance(value, Tensor):
        return ["T", int(value.sure), value.dtype, int(value.is_scalar) + 2 * int(value.by_convention)]
    if isinstance(value, Python):
        return ["P", value.type, value.const]
    if isinstance(value, Drawn):
        return ["D", int(value.sure), value.by]
    if isinstance(value, Ref):
        return ["R", value.dotted]
    if isinstance(value, Class):
        return ["R", f"{module}.{value.info.qualname}"] if is_nameable(value.info.qualname) else None
    if isinstance(value, Instance):
        return ["X", f"{module}.{value.info.qualname}", []] if is_nameable(value.info.qualname) else None
    if isinstance(value, Func):
        return _function(value, module, depth)
    return None if depth >= _DEEPEST else _compound(value, module, depth + 1)


def _compound(value: Value, module: str, depth: int) -> Json:
    def inner(item: Value) -> Json:
        return value_to_json(item, module, depth)

    if isinstance(value, Sequence):
        items = value.items if value.items is None or len(value.items) <= _MOST_ITEMS else None
        return ["S", inner(value.element), None if items is None else [inner(item) for item in items], value.type]
    if isinstance(value, Mapping):
        return ["M", inner(value.element), [[key, inner(item)] for key, item in value.keys]]
    if isinstance(value, External):
        return ["X", value.dotted, [inner(item) for item in value.args[:_MOST_ITEMS]]]
    if isinstance(value, Method):
        return ["m", inner(value.receiver), value.name]
    if isinstance(value, Union):
        return ["U", [inner(option) for option in value.options]]
    return None


def _function(value: Func, module: str, depth: int) -> Json:
    if value.closure is not None or value.args or not is_nameable(value.info.qualname):
        return None
    if value.bound is None:
        return ["R", f"{module}.{value.info.qualname}"]
    receiver = None if depth >= _DEEPEST else value_to_json(value.bound, module, depth + 1)
    return None if receiver is None else ["m", receiver, value.info.name]


def is_nameable(qualname: str) -> bool:
    """Whether something can be reached by its qualified name from outside the file."""
    return "<" not in qualname


def rebound(data: Json, own: str, receiver: Json) -> Json:
    """``data``, kept on an instance of the class ``own``, for the instance ``receiver`` of a class that derives from it: methods kept there
    are methods of ``receiver``."""
    if data is not None and data[0] == "m" and data[1] == ["X", own, []]:
        return ["m", receiver, data[2]]
    if data is not None and data[0] == "U":
        return ["U", [rebound(option, own, receiver) for option in data[1]]]
    return data


def simplified(data: Json) -> Json:
    """``data`` with only what rules ask for: tensors, None, numbers drawn from tensors and the kinds of Python values."""
    if data is None or data == "N" or data[0] in ("T", "D"):
        return data
    kind = data[0]
    if kind == "P":
        return ["P", data[1], data[2] if data[1] == "bool" else None]
    if kind == "S":
        return ["S", simplified(data[1]), None, data[3]]
    if kind == "M":
        return ["M", simplified(data[1]), []]
    if kind == "U":
        found: list[Json] = []
        for option in map(simplified, data[1]):
            if option not in found:
                found.append(option)
        return found[0] if len(found) == 1 else ["U", found]
    return None


Local = Callable[[str], Value | None]
"""Gives the class or function of the file itself for its dotted name, None for names outside."""


def value_from_json(data: Json, local: Local, node: ast.AST) -> Value:
    """The value that ``data`` stands for. Numbers drawn from tensors count as drawn at ``node``."""
    if data is None:
        return UNKNOWN
    if data == "N":
        return NONE

    def inner(item: Json) -> Value:
        return value_from_json(item, local, node)

    kind = data[0]
    if kind == "T":
        return Tensor(bool(data[1]), data[2], None, bool(data[3] & 1), bool(data[3] & 2))
    if kind == "P":
        return Python(data[1], data[2])
    if kind == "D":
        return Drawn(node, bool(data[1]), data[2])
    if kind == "R":
        return local(data[1]) or Ref(data[1])
    if kind == "X":
        found = local(data[1])
        if isinstance(found, Class):
            return Instance(found.info)
        return External(data[1], tuple(inner(item) for item in data[2]))
    if kind == "m":
        return Method(inner(data[1]), data[2])
    if kind == "S":
        items = None if data[2] is None else tuple(inner(item) for item in data[2])
        return Sequence(inner(data[1]), items, data[3])
    if kind == "M":
        return Mapping(inner(data[1]), tuple((key, inner(item)) for key, item in data[2]))
    return join_all([inner(item) for item in data[1]])
