"""Sizes that are data: how many elements ``nonzero``, a mask and their kin select is known only when the graph has run.

Only the first dimension is followed, which is the one that those calls make. In export it is an unbacked symbol
(``torch.export``, data-dependent expressions); deciding on it is refused.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from flake8_torchtrace.source.values import (
    DATA_SIZE,
    DATA_SIZES,
    INT,
    SIZE,
    Python,
    Sequence,
    Tensor,
    Value,
    drop_none,
    known_truth,
    options,
    tensor_of,
)

# Their result has as many rows as what they are given; so it is for what a whole tensor is flattened to.
_KEEP_ROWS = {
    "long", "int", "float", "half", "double", "bool", "to", "type", "clone", "detach", "contiguous", "cpu", "cuda", "abs", "neg", "exp", "log",
    "sqrt", "clamp", "ceil", "floor", "round", "relu", "gelu", "silu", "sigmoid", "tanh", "softmax", "log_softmax", "dropout", "layer_norm",
    "normalize", "linear", "sort", "argsort", "cumsum", "flip", "flatten", "ravel", "cat", "concat", "masked_fill", "index_select", "unique",
    "add", "sub", "mul", "div",
}  # fmt: skip
_KEEP_IF_LAST = {"squeeze", "unsqueeze", "view", "reshape"}
_COUNTS = {"numel", "nelement", "__len__"}


def with_data_size(value: Value) -> Value:
    """``value``, the result of a call whose shape depends on data."""
    if isinstance(value, Tensor):
        return replace(value, has_data_size=True) if value.sure else value
    if isinstance(value, Sequence) and value.type == "tuple":
        items = None if value.items is None else tuple(with_data_size(item) for item in value.items)
        return Sequence(with_data_size(value.element), items, value.type)
    return value


def has_data_size(value: Value) -> bool:
    """Whether ``value`` is a tensor, or holds one, whose first dimension is data."""
    if isinstance(value, Sequence):
        return any(has_data_size(item) for item in value.items or (value.element,))
    return any(isinstance(option, Tensor) and option.has_data_size for option in options(value))


def is_data_size(value: Value | None) -> bool:
    """Whether ``value`` is such a size, a shape with one, or computed from one."""
    if isinstance(value, Sequence):
        return value.type == "size" and is_data_size(value.element)
    return value is not None and any(isinstance(option, Python) and option.is_data for option in options(value))


def is_kept(name: str, args: list[Value]) -> bool:
    """Whether the result of ``name`` has the rows of its first argument."""
    if not args or not has_data_size(args[0]):
        return False
    if name in _KEEP_IF_LAST:
        # squeeze(-1), view(-1), reshape(-1): what is left, or all of it in a row. `Python` does not hold numbers, but -1 is no 0.
        return len(args) <= 2 and (len(args) == 1 or known_truth(args[1]) is not False)
    return name in _KEEP_ROWS


def size_result(name: str, args: list[Value]) -> Value | None:
    """What ``receiver.size()``, ``.numel()`` and the like give, ``args`` beginning with the receiver; None where no size is data."""
    if not args or not has_data_size(args[0]):
        return None
    if name in _COUNTS:
        return DATA_SIZE
    if name == "size":
        return DATA_SIZES if len(args) == 1 else DATA_SIZE if known_truth(args[1]) is False else INT
    return None


def item_of_sizes(sizes: Sequence, position: int | None) -> Value:
    """``shape[position]``."""
    return DATA_SIZE if is_data_size(sizes.element) and position == 0 else INT


def slice_of_sizes(sizes: Sequence, node: ast.Slice) -> Value:
    """``shape[a:b]``."""
    starts_at_first = node.lower is None or (isinstance(node.lower, ast.Constant) and node.lower.value == 0)
    return sizes if starts_at_first else SIZE


def of_subscript(base: Tensor, index: Value, node: ast.expr) -> bool:
    """Whether the first dimension of ``base[index]`` is data: a mask or such indices select it, or it was data and is kept."""
    first, part = index, node
    if isinstance(node, ast.Tuple):
        if not node.elts or not isinstance(index, Sequence) or not index.items:
            return False
        first, part = index.items[0], node.elts[0]
    chosen = tensor_of(drop_none(first))
    if chosen is not None:
        return base.sure and chosen.sure and (chosen.has_data_size or chosen.dtype == "bool")
    keeps = isinstance(part, ast.Slice) or (isinstance(part, ast.Constant) and part.value in (..., None))
    return base.has_data_size and keeps
