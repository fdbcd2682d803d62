"""Inputs for a sequence of calls, and results of calls as plain lists that can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

SEED = 20_011
_CLOSE = {"float64": (1e-7, 1e-9), "float32": (1e-4, 1e-5)}
_LOOSE = (2e-2, 1e-2)


def seed() -> None:
    """The same random numbers of torch, Python and numpy before every call."""
    import random
    import sys

    import torch

    torch.manual_seed(SEED)
    random.seed(SEED)
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed(SEED)


def copied(args: Sequence[Any], kwargs: Mapping[str, Any], is_other: bool = False) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with tensors copied; with ``is_other`` tensors of the same shape and kind hold other values."""
    from torch.utils._pytree import tree_map

    first, second = tree_map(_other if is_other else _copy, (tuple(args), dict(kwargs)))
    return first, second


def flat(value: Any) -> list[Any]:
    """The leaves of a result: tensors copied, plain values as they are, of anything else its type."""
    from torch.utils._pytree import tree_leaves

    return [_leaf(item) for item in tree_leaves(value)]


def difference(one: Sequence[Any], other: Sequence[Any]) -> str | None:
    """How two results differ, in words; None if they agree up to rounding."""
    if len(one) != len(other):
        return f"{len(other)} values in place of {len(one)}"
    return next((told for told in map(_differ, one, other) if told is not None), None)


def _copy(value: Any) -> Any:
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def _other(value: Any) -> Any:
    import torch

    if not isinstance(value, torch.Tensor) or value.is_sparse or value.is_nested:
        return value
    turned = value.detach().flip(tuple(range(value.dim()))) if value.dim() else value.detach()
    if value.is_floating_point():
        turned = turned * 0.75 + 0.125
    return turned.to(value.dtype).clone().requires_grad_(value.requires_grad)


def _leaf(value: Any) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        return torch.empty(0) if type(value).__name__ == "FakeTensor" else value.detach().clone().as_subclass(torch.Tensor)
    return value if isinstance(value, (int, float, str, bool, type(None))) else type(value).__name__


def _differ(one: Any, other: Any) -> str | None:
    import torch

    if not isinstance(one, torch.Tensor) or not isinstance(other, torch.Tensor):
        is_same = type(one) is type(other) and (one == other or one != one)
        return None if is_same else f"{_shown(other)} in place of {_shown(one)}"
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"{_shown(other)} in place of {_shown(one)}"
    if one.layout != torch.strided or one.is_nested:
        return None
    relative, absolute = _CLOSE.get(str(one.dtype).removeprefix("torch."), _LOOSE)
    if not (one.is_floating_point() or one.is_complex()):
        return None if torch.equal(one, other) else "other numbers"
    if torch.allclose(one, other, rtol=relative, atol=absolute, equal_nan=True):
        return None
    return f"values that differ by up to {(one - other).abs().nan_to_num().max().item():.3g}"


def _shown(value: Any) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    return repr(value)[:40]
