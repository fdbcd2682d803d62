"""What iterating over a value or indexing it gives."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source import sizes
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.values import (
    STR,
    UNKNOWN,
    Drawn,
    External,
    Instance,
    Mapping,
    Python,
    Sequence,
    Tensor,
    Union,
    Value,
    drop_none,
    join,
    join_all,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

CONTAINERS = {"torch.nn.ModuleList", "torch.nn.Sequential", "torch.nn.ParameterList"}
HELD = "[]"
"""Under this name a class that derives from one of those keeps what it contains."""


def element_of(it: Interpreter, value: Value, frame: Frame) -> Value:
    """What a loop over ``value`` binds."""
    value = drop_none(value)
    if isinstance(value, Tensor):
        return Tensor(value.sure, value.dtype, value.origin, False, value.by_convention, False, _is_item(value))
    if isinstance(value, Drawn):
        return value
    if isinstance(value, Sequence):
        return value.element if value.items is None or not value.items else join_all(list(value.items))
    if isinstance(value, Python) and value.type == "str":
        return STR
    if isinstance(value, Mapping):
        return STR if value.keys else UNKNOWN
    if isinstance(value, Union):
        return join_all([element_of(it, option, frame) for option in value.options])
    if isinstance(value, External):
        return _external_element(value)
    if isinstance(value, Instance):
        if it.find_method(value.info, "__iter__") is None:
            return it.stored(value.info).get(HELD, UNKNOWN)
        return it.call_method(value, "__iter__", [], frame, element=True)
    return UNKNOWN


def _external_element(value: External) -> Value:
    if value.dotted == "torch.nn.ParameterList":
        return Tensor(True, "float", ("nn.ParameterList", 0))
    if value.dotted in CONTAINERS and value.args:
        found = value.args[0] if value.dotted == "torch.nn.ModuleList" else join_all(list(value.args))
        return found.element if isinstance(found, Sequence) else found
    if value.dotted == "numpy.ndarray":
        return value
    return UNKNOWN


def with_more(container: External, added: Value) -> External:
    """A ``ModuleList`` that contains ``added`` as well."""
    held = _external_element(container)
    return External(container.dotted, (Sequence(added if held is UNKNOWN else join(held, added), None, "list"),))


def _is_item(base: Tensor) -> bool:
    """Whether what is taken out of ``base`` is a tensor for sure: a parameter that is only iterated or indexed may be a list of numbers."""
    is_used_as_one = base.origin is not None and base.origin[0].startswith(("the use of ", "parameter ")) and not base.by_convention
    return base.is_computed or is_used_as_one


def items_of(value: Value) -> tuple[Value, ...] | None:
    """The exact items of ``value`` where their number is known."""
    value = drop_none(value)
    return value.items if isinstance(value, Sequence) else None


def subscript(base: Value, index: Value, node: ast.expr) -> Value:
    """``base[index]``; ``node`` is the index expression."""
    base = drop_none(base)
    if isinstance(base, Tensor):
        has_data_size = sizes.of_subscript(base, index, node)
        return Tensor(base.sure, base.dtype, base.origin, False, base.by_convention, has_data_size, _is_item(base))
    if isinstance(base, Drawn):
        return base
    if isinstance(base, Sequence):
        return _sequence_item(base, node)
    if isinstance(base, Mapping):
        if isinstance(node, ast.Constant):
            for key, value in base.keys:
                if key == node.value:
                    return value
        return base.element
    if isinstance(base, Union):
        return join_all([subscript(option, index, node) for option in base.options])
    if isinstance(base, External):
        if base.dotted == "torch.nn.ModuleDict":
            return subscript(base.args[0], index, node) if base.args else UNKNOWN
        if base.dotted in CONTAINERS and isinstance(node, ast.Slice):
            return base
        return _external_element(base)
    if isinstance(base, Python) and base.type == "str":
        return STR
    return UNKNOWN


def _sequence_item(base: Sequence, node: ast.expr) -> Value:
    if base.type == "size":
        return sizes.slice_of_sizes(base, node) if isinstance(node, ast.Slice) else sizes.item_of_sizes(base, _constant_index(node))
    if isinstance(node, ast.Slice):
        return Sequence(base.element, _sliced(base, node), base.type)
    position = _constant_index(node)
    if base.items is not None and position is not None and -len(base.items) <= position < len(base.items):
        return base.items[position]
    return base.element if base.items is None or not base.items else join_all(list(base.items))


def _sliced(base: Sequence, node: ast.Slice) -> tuple[Value, ...] | None:
    if base.items is None:
        return None
    bounds = []
    for part in (node.lower, node.upper, node.step):
        bound = None if part is None else _constant_index(part)
        if part is not None and bound is None:
            return None
        bounds.append(bound)
    return base.items[slice(*bounds)] if bounds[2] != 0 else None


def _constant_index(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return int(node.value)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = _constant_index(node.operand)
        return None if inner is None else -inner
    return None
