"""What ``make()`` or a recipe returns: a tuple, or a mapping where there is more to say.

The tuple is ``(module, args)``, ``(module, args, kwargs)`` or ``(module, args, kwargs, dynamic_shapes)``. The mapping has ``module`` and
any of ``args``, ``kwargs``, ``dynamic_shapes``, ``method`` (called in place of ``forward``), ``dtype`` and ``device`` (of module and
inputs), and ``inputs`` for several sets of them: a list, or a dict by name, of ``args``, ``(args, kwargs)`` or mappings with ``args``,
``kwargs`` and ``dynamic_shapes``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .dims import Plain, plain_dims
from .mistakes import InputsError, calling, kind

_KEYS = ("module", "args", "kwargs", "dynamic_shapes", "method", "dtype", "device", "inputs")
_OF_A_SET = ("args", "kwargs", "dynamic_shapes")


@dataclass(frozen=True)
class Built:
    """A module (or plain callable) ready to be called as ``module(*args, **kwargs)``.

    ``dynamic_shapes`` is as ``dims.plain_dims`` gives it, None where nothing was said. ``sets`` names the sets of inputs there are:
    this is one of them.
    """

    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    dynamic_shapes: Plain | None = None
    sets: tuple[str, ...] = ("",)

    @property
    def name(self) -> str:
        """The class of the module, also of one whose method is called, or the name of the function."""
        if inspect.ismethod(self.module):
            return type(self.module.__self__).__name__
        return str(getattr(self.module, "__name__", type(self.module).__name__))


def read(what: str, returned: Any, which: int = 0) -> Built:
    """The set of inputs number ``which`` of what was ``returned``. Raises InputsError naming ``what`` and the part that is wrong."""
    given = dict(returned) if isinstance(returned, Mapping) else _from_tuple(what, returned)
    unknown = [key for key in given if key not in _KEYS]
    if unknown:
        raise InputsError(f"{what}: there is no key {unknown[0]!r}; the keys are {', '.join(_KEYS)}")
    if "module" not in given:
        raise InputsError(f"{what}: the mapping has no 'module'")
    function = _function(what, given["module"], given.get("method"))
    sets = _sets(what, given)
    name, one = sets[which]
    where = f"{what}, inputs {name}" if name else what
    args, kwargs = arguments(where, one.get("args", ()), one.get("kwargs", {}))
    args, kwargs = _moved(where, given, function, args, kwargs)
    spec = one.get("dynamic_shapes")
    dims = None if spec is None else plain_dims(where, spec, function, args, kwargs)
    return Built(function, args, kwargs, dims, tuple(name for name, _ in sets))


def arguments(what: str, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """``args`` and ``kwargs`` if they are what they must be. Raises InputsError."""
    if not isinstance(args, (tuple, list)):
        raise InputsError(f"{what}: args must be a tuple, not {kind(args)}; for one argument write (x,)")
    if not isinstance(kwargs, dict) or not all(isinstance(key, str) for key in kwargs):
        raise InputsError(f"{what}: kwargs must be a dict with string keys, not {kind(kwargs)}")
    return tuple(args), kwargs


def is_args_and_kwargs(given: Any) -> bool:
    """Whether a tuple is ``(args, kwargs)`` and not the arguments themselves."""
    return isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], tuple) and isinstance(given[1], dict)


def _from_tuple(what: str, returned: Any) -> dict[str, Any]:
    if not isinstance(returned, tuple) or len(returned) not in (2, 3, 4):
        raise InputsError(f"{what} must return (module, args, kwargs) or (module, args), not {kind(returned)}")
    return dict(zip(("module", *_OF_A_SET), returned, strict=False))


def _function(what: str, module: Any, method: Any) -> Callable[..., Any]:
    if isinstance(module, type):
        raise InputsError(f"{what}: the module must be an instance, not the class {module.__name__}")
    if not callable(module):
        raise InputsError(f"{what}: the module must be an nn.Module or another callable, not {kind(module)}")
    found: Callable[..., Any] = module
    if method is None or method == "forward":
        return found
    if not isinstance(method, str) or not callable(getattr(module, method, None)):
        raise InputsError(f"{what}: {type(module).__name__} has no method {method!r}")
    found = getattr(module, method)
    return found


def _sets(what: str, given: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Names and contents of the sets of inputs; a single one has no name."""
    if "inputs" not in given:
        return [("", given)]
    listed = given["inputs"]
    if not isinstance(listed, (dict, list, tuple)) or not listed:
        raise InputsError(f"{what}: inputs must be a list or a dict of sets of inputs, not {kind(listed)}")
    if "args" in given or "kwargs" in given:
        raise InputsError(f"{what}: there are both 'inputs' and 'args' or 'kwargs'")
    if isinstance(listed, (list, tuple)):
        listed = {str(number): item for number, item in enumerate(listed, 1)}
    return [(str(name), {"dynamic_shapes": given.get("dynamic_shapes"), **_set(f"{what}, inputs {name}", item)}) for name, item in listed.items()]


def _set(what: str, item: Any) -> dict[str, Any]:
    if isinstance(item, Mapping):
        unknown = [key for key in item if key not in _OF_A_SET]
        if unknown:
            raise InputsError(f"{what}: there is no key {unknown[0]!r}; the keys are {', '.join(_OF_A_SET)}")
        return dict(item)
    if is_args_and_kwargs(item):
        return {"args": item[0], "kwargs": item[1]}
    if isinstance(item, (tuple, list)):
        return {"args": item}
    raise InputsError(f"{what} must be args, (args, kwargs) or a dict with args and kwargs, not {kind(item)}")


def _moved(what: str, given: dict[str, Any], function: Any, args: Any, kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Module and inputs with the dtype and on the device that were asked for; only floating-point numbers change their dtype."""
    dtype, device = _dtype(what, given.get("dtype")), given.get("device")
    if dtype is None and device is None:
        return args, kwargs
    import torch
    from torch.utils import _pytree

    def move(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        return value.to(device=device, dtype=dtype if value.is_floating_point() else None)

    def all_moved() -> Any:
        owner = getattr(function, "__self__", function)
        if isinstance(owner, torch.nn.Module):
            owner.to(**{key: value for key, value in (("device", device), ("dtype", dtype)) if value is not None})
        return _pytree.tree_map(move, (args, kwargs))

    moved: tuple[tuple[Any, ...], dict[str, Any]] = calling(f"{what}: dtype={dtype}, device={device}", all_moved)
    return moved


def _dtype(what: str, given: Any) -> Any:
    if given is None:
        return None
    import torch

    found = getattr(torch, given.removeprefix("torch."), None) if isinstance(given, str) else given
    if not isinstance(found, torch.dtype):
        raise InputsError(f"{what}: there is no dtype {given!r}")
    return found
