"""The tensors among the arguments of a call: what they are called, and the same call with other sizes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

Size = tuple[int, ...]


@dataclass(frozen=True)
class Leaf:
    """One tensor. ``index`` is its place among all leaves of ``(args, kwargs)`` as torch flattens them; ``name`` as in ``z['k']``."""

    index: int
    name: str
    size: Size


@dataclass(frozen=True)
class Call:
    """The arguments of one call, and the signature they are for (None where Python cannot tell it)."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    signature: inspect.Signature | None

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments by the names of the signature, as torch's specifications want them."""
        try:
            if self.signature is not None:
                return dict(self.signature.bind(*self.args, **self.kwargs).arguments)
        except TypeError:  # the call itself will tell
            pass
        return {f"args[{index}]": value for index, value in enumerate(self.args)} | self.kwargs

    def leaves(self) -> list[Leaf]:
        """The tensors, in torch's order."""
        import torch

        names = self._names()
        found = []
        for index, value in enumerate(self.flat()):
            if isinstance(value, torch.Tensor):
                known = names.get(id(value), [])
                found.append(Leaf(index, known.pop(0) if known else f"input {index}", tuple(value.shape)))
        return found

    def flat(self) -> list[Any]:
        """All leaves, tensors and others."""
        from torch.utils import _pytree

        return list(_pytree.tree_flatten((self.args, self.kwargs))[0])

    def mapped(self, change: Callable[[int, Any], Any]) -> Call:
        """The call with ``change(index, leaf)`` in place of each leaf."""
        from torch.utils import _pytree

        flat, spec = _pytree.tree_flatten((self.args, self.kwargs))
        args, kwargs = _pytree.tree_unflatten([change(index, value) for index, value in enumerate(flat)], spec)
        return Call(args, kwargs, self.signature)

    def resized(self, sizes: Mapping[int, Size]) -> Call:
        """The call with tensors of other sizes, by index; the numbers in them are made from those given."""
        return self.mapped(lambda index, value: resize(value, sizes[index]) if index in sizes else value)

    def _names(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for name, value in self.parameters.items():
            for path, tensor in _walk(name, value, set()):
                found.setdefault(id(tensor), []).append(path)
        return found


def call_of(function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
    """A call of ``function``, a module or a plain function."""
    try:
        signature = inspect.signature(getattr(function, "forward", function))
    except (TypeError, ValueError):
        signature = None
    return Call(tuple(args), dict(kwargs), signature)


def resize(tensor: Any, size: Size) -> Any:
    """``tensor`` with ``size``: its rows repeated or cut, floating-point numbers a little apart from each other.

    Repeating keeps what is special in the numbers: indexes stay in range, masks stay masks. The spread tells apart what depends
    on all rows from what does not.
    """
    import torch

    if tuple(tensor.shape) == size:
        return tensor
    made = tensor.detach()
    for dim, (old, new) in enumerate(zip(made.shape, size, strict=True)):
        if old == 0:
            made = made.new_zeros([*made.shape[:dim], new, *made.shape[dim + 1 :]])
        elif old != new:
            made = made.index_select(dim, torch.arange(new, device=made.device) % old)
    if made.is_floating_point():
        made = made * (1 + torch.rand(made.shape, device=made.device, generator=_generator(made.device)).to(made.dtype) / 8)
    return made.clone().requires_grad_(tensor.requires_grad)


def elements(sizes: Iterable[Size]) -> int:
    """How many numbers tensors of these sizes hold."""
    total = 0
    for size in sizes:
        count = 1
        for length in size:
            count *= length
        total += count
    return total


def _generator(device: Any) -> Any:
    import torch

    return torch.Generator(device=device).manual_seed(0)


def _walk(path: str, value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    import torch

    if isinstance(value, torch.Tensor):
        yield path, value
        return
    if id(value) in seen:
        return
    seen = seen | {id(value)}
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _walk(f"{path}[{key!r}]", item, seen)
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for key, item in zip(value._fields, value, strict=True):
            yield from _walk(f"{path}.{key}", item, seen)
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from _walk(f"{path}[{number}]", item, seen)
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _walk(f"{path}.{field.name}", getattr(value, field.name), seen)
