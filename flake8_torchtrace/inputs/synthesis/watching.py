"""Follows the arguments of a call through torch's functions, so that a failure can be laid to one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_NONE: frozenset[str] = frozenset()


class Watching(TorchFunctionMode):
    """``count``: the calls that came through, which says how far the module got. ``failed``: the last call, if it raised.

    ``asked`` is the tensor whose shape, rank or length was asked for last.
    """

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        super().__init__()
        self.count = 0
        self.failed: tuple[Any, tuple[Any, ...], dict[str, Any]] | None = None
        self.asked: torch.Tensor | None = None
        self.last: list[torch.Tensor] = []
        self._origins: dict[int, tuple[torch.Tensor, frozenset[str]]] = {}
        for name, value in inputs.items():
            for tensor in tensors_in(value):
                self._origins[id(tensor)] = (tensor, frozenset({name}))

    def origins(self, tensor: Any) -> frozenset[str]:
        """The arguments that ``tensor`` was computed from."""
        found = self._origins.get(id(tensor))
        return found[1] if found is not None else _NONE

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """See TorchFunctionMode."""
        kwargs = kwargs or {}
        given = [*tensors_in(args), *tensors_in(kwargs)]
        name = getattr(func, "__name__", "")
        if name in ("__get__", "size", "dim", "__len__", "ndimension", "shape") and given:
            self.asked = given[0]
        try:
            result = func(*args, **kwargs)
        except BaseException:
            if name != "__get__":
                self.failed = (func, args, kwargs)
            raise
        self.failed = None
        if name != "__get__":
            self.count += 1
            self.last = given
        self._note(result, frozenset().union(*(self.origins(tensor) for tensor in given)))
        return result

    def _note(self, result: Any, origins: frozenset[str]) -> None:
        if origins:
            for tensor in tensors_in(result):
                self._origins.setdefault(id(tensor), (tensor, origins))


def tensors_in(value: Any, depth: int = 0) -> list[torch.Tensor]:
    """The tensors in nested lists, tuples and dictionaries."""
    if isinstance(value, torch.Tensor):
        return [value]
    if depth > 3:
        return []
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(item, depth + 1)]
    if isinstance(value, dict):
        return [tensor for item in value.values() for tensor in tensors_in(item, depth + 1)]
    return []
