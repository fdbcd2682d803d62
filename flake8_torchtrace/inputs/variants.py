"""The same module and arguments in another mode, another dtype, or with another size of batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from .dims import Plain, plain_dims
from .mistakes import InputsError, calling
from .returned import Built


def words(variant: Mapping[str, Any]) -> str:
    """A variant for people: ``in eval mode, in float16, with batch 1``; empty for what is given."""
    told = {"mode": "in {} mode", "dtype": "in {}", "batch": "with batch {}"}
    return ", ".join(told[key].format(value) for key, value in variant.items() if key in told)


def applied(built: Built, variant: Mapping[str, Any]) -> Built:
    """``built`` as ``variant`` wants it: ``mode``, ``dtype`` and ``batch`` may be named. Raises InputsError.

    ``dynamic`` maps the name of an argument to its dimensions, as numbers or their text, with the bounds of each.
    """
    module, args, kwargs = built.module, built.args, built.kwargs
    if "mode" in variant:
        module = _in_mode(module, variant["mode"])
    if "dtype" in variant:
        module, args, kwargs = calling(words(variant), lambda: _in_dtype(module, args, kwargs, variant["dtype"]))
    if "batch" in variant:
        args, kwargs = calling(words(variant), lambda: _with_batch(args, kwargs, variant["batch"]))
    changed = replace(built, module=module, args=args, kwargs=kwargs)
    return replace(changed, dynamic_shapes=_dimensions(changed, variant["dynamic"])) if "dynamic" in variant else changed


def _dimensions(built: Built, given: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Plain:
    named = {
        argument: {dim: {"name": f"{argument}_{dim}", **bounds} for dim, bounds in sizes.items()} for argument, sizes in given.items()
    }
    return plain_dims("the promise", named, built.module, built.args, built.kwargs)


def _in_mode(module: Any, mode: str) -> Any:
    import torch

    if not isinstance(module, torch.nn.Module):
        raise InputsError(f"a function has no {mode} mode")
    return module.train(mode == "train")


def _in_dtype(module: Any, args: Any, kwargs: Any, name: str) -> Any:
    import torch
    from torch.utils._pytree import tree_map

    dtype = getattr(torch, name)

    def cast(value: Any) -> Any:
        return value.to(dtype) if isinstance(value, torch.Tensor) and value.is_floating_point() else value

    moved = module.to(dtype) if isinstance(module, torch.nn.Module) else module
    return moved, tree_map(cast, args), tree_map(cast, kwargs)


def _with_batch(args: Any, kwargs: Any, size: int) -> Any:
    """Every tensor whose first dimension is that of the first tensor gets ``size`` of its rows, over again where they do not suffice."""
    import torch
    from torch.utils._pytree import tree_flatten, tree_map

    tensors = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor) and value.dim()]
    if not tensors or not tensors[0].shape[0]:
        raise InputsError("no input has a batch")
    given = tensors[0].shape[0]

    def resized(value: Any) -> Any:
        if not isinstance(value, torch.Tensor) or not value.dim() or value.shape[0] != given:
            return value
        rows = value.detach()[torch.arange(size) % given].clone()
        return rows.requires_grad_(value.requires_grad)

    return tree_map(resized, args), tree_map(resized, kwargs)
