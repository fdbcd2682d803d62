"""Whether two results of a module are the same: tensors by their numbers, containers by what is in them."""

from __future__ import annotations

from typing import Any


def difference(eager: Any, program: Any) -> str | None:
    """How the result of an exported program differs from that of the module, in words; None if it does not."""
    from torch.utils import _pytree

    left, right = (_pytree.tree_flatten(value)[0] for value in (eager, program))
    if len(left) != len(right):
        return f"{len(right)} values in place of {len(left)}"
    for one, other in zip(left, right, strict=True):
        found = _leaf(one, other)
        if found:
            return found
    return None


def _leaf(eager: Any, program: Any) -> str | None:
    import torch

    if isinstance(eager, torch.Tensor) != isinstance(program, torch.Tensor):
        return f"{_kind(program)} in place of {_kind(eager)}"
    if not isinstance(eager, torch.Tensor):
        same = eager == program or eager is program or not isinstance(eager, (bool, int, float, str, type(None)))
        return None if same else f"{program!r} in place of {eager!r}"
    if eager.shape != program.shape:
        return f"a tensor of size {list(program.shape)} in place of {list(eager.shape)}"
    if eager.dtype != program.dtype:
        return f"{program.dtype} in place of {eager.dtype}"
    if eager.layout is not torch.strided or eager.is_quantized:
        return None
    one, other = eager.detach(), program.detach()
    if not one.is_floating_point() and not one.is_complex():
        return None if torch.equal(one, other) else "other numbers"
    relative, absolute = (1e-4, 1e-5) if torch.finfo(one.dtype).eps < 1e-4 else (2e-2, 2e-2)
    return None if torch.allclose(one, other, equal_nan=True, rtol=relative, atol=absolute) else "other numbers"


def _kind(value: Any) -> str:
    return type(value).__name__
