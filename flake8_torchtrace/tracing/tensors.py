"""Tensors among the values that a frame is called with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

_DEEPEST = 4


def is_tensor(value: Any) -> bool:
    """Whether ``value`` is a tensor and no parameter: those are the module's, not made on the way."""
    import torch

    return isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter)


def leaves(values: Iterable[Any], depth: int = _DEEPEST) -> Iterator[Any]:
    """The tensors among ``values`` and in lists, tuples and dicts of them, and the buffers of modules."""
    import torch

    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, torch.nn.Module):
            yield from _buffers(value, set())
        elif isinstance(value, (list, tuple)) and depth:
            yield from leaves(value, depth - 1)
        elif isinstance(value, dict) and depth:
            yield from leaves(value.values(), depth - 1)


def _buffers(module: Any, seen: set[int]) -> Iterator[Any]:
    """The buffers of a module that may not be initialised yet; none of its own methods are called."""
    seen.add(id(module))
    own = vars(module)
    yield from (buffer for buffer in own.get("_buffers", {}).values() if buffer is not None)
    for child in own.get("_modules", {}).values():
        if child is not None and id(child) not in seen:
            yield from _buffers(child, seen)
