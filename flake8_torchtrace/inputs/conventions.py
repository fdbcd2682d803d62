"""Inputs that a class, or the module it is in, has under a name of its own: what torch's ecosystem calls such things.

``example_inputs``, Lightning's ``example_input_array``, ``dummy_inputs`` as transformers has it, diffusers' ``get_dummy_inputs``, and
``get_dummy_batch``; each a value, a property, or a function. The class is built without arguments, or from its ``config_class``.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from .build import seed
from .declared import CONVENTIONS
from .importing import import_file
from .mistakes import InputsError, calling, kind, shown
from .returned import Built, arguments, is_args_and_kwargs
from .tiny import tiny

# What functions of these names ask for, where it has no default
_KNOWN = {"device": "cpu", "torch_device": "cpu", "seed": 0, "batch_size": 2, "bs": 2, "batch": 2, "n": 2}


def convention_classes(path: str, candidates: list[str], owners: list[str]) -> list[str]:
    """Those of ``candidates``, class names of the file ``path``, that have inputs by convention. Raises InputsError.

    What the module has is for its one module class, or where there are several for those among ``owners``.
    """
    module = import_file(path)
    classes = {name: getattr(module, name, None) for name in candidates}
    own = [name for name, value in classes.items() if isinstance(value, type) and _of_class(value) is not None]
    if own or not _of_module(module):
        return own
    modules = [name for name, value in classes.items() if isinstance(value, type) and callable(getattr(value, "forward", None))]
    return modules if len(modules) == 1 else [name for name in modules if name in owners]


def build_from_convention(path: str, class_name: str) -> Built:
    """Build ``class_name`` of the file ``path`` and take its inputs by convention. Raises InputsError."""
    module = import_file(path)
    owner = getattr(module, class_name)
    of_class = _of_class(owner)
    name = of_class or _of_module(module)
    if name is None:
        raise InputsError(f"{class_name} in {shown(path)} has none of {', '.join(CONVENTIONS)}")
    what = f"{name} of {class_name if of_class else 'the module'} in {shown(path)}"
    seed()
    instance = _instance(what, owner)
    if not callable(instance):
        raise InputsError(f"{what}: {class_name} is not a module: its instances cannot be called")
    seed()
    value = calling(what, lambda: getattr(instance if of_class else module, name))
    return Built(instance, *_arguments(what, _called(what, value), instance))


def _of_class(owner: type) -> str | None:
    return next((name for name in CONVENTIONS if _has(owner, name)), None)


def _has(owner: type, name: str) -> bool:
    """Whether a class has that name of its own, or from a base whose inputs are for it too.

    The ``dummy_inputs`` that transformers gives every model are token ids, and are for models that take those.
    """
    defining = next((base for base in owner.__mro__ if name in vars(base)), None)
    if defining is None or defining.__module__.partition(".")[0] in ("torch", "lightning", "pytorch_lightning"):
        return False
    if defining.__name__ == "PreTrainedModel":
        return getattr(owner, "main_input_name", None) == "input_ids" and getattr(owner, "config_class", None) is not None
    return vars(defining)[name] is not None


def _of_module(module: ModuleType) -> str | None:
    return next((name for name in CONVENTIONS if name in vars(module) and not isinstance(vars(module)[name], (type, ModuleType))), None)


def _instance(what: str, owner: Any) -> Any:
    config = getattr(owner, "config_class", None)
    if config is not None and _needs_one_argument(owner):
        return calling(f"{what}: {owner.__name__}(config)", lambda: owner(calling(f"{config.__name__}()", lambda: tiny(config))))
    return calling(f"{what}: {owner.__name__}() without arguments", owner)


def _needs_one_argument(owner: Any) -> bool:
    required = [item for item in inspect.signature(owner).parameters.values() if item.default is item.empty]
    return any(item.kind in (item.POSITIONAL_ONLY, item.POSITIONAL_OR_KEYWORD) for item in required)


def _called(what: str, value: Any) -> Any:
    if not callable(value) or isinstance(value, Mapping) or hasattr(value, "shape"):
        return value
    given = {}
    for item in inspect.signature(value).parameters.values():
        if item.default is item.empty and item.kind not in (item.VAR_POSITIONAL, item.VAR_KEYWORD):
            if item.name not in _KNOWN:
                raise InputsError(f"{what} needs the argument {item.name}, which is not known")
            given[item.name] = _KNOWN[item.name]
    return calling(what, lambda: value(**given))


def _arguments(what: str, value: Any, instance: Callable[..., Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(value, Mapping):
        named = {str(key): item for key, item in value.items()}
        return ((value,), {}) if _takes_whole(instance, named) else arguments(what, (), named)
    if is_args_and_kwargs(value):
        return arguments(what, *value)
    if isinstance(value, (tuple, list)):
        return arguments(what, value, {})
    if hasattr(value, "shape"):
        return (value,), {}
    raise InputsError(f"{what} must be a tensor, a tuple of arguments, (args, kwargs) or a dict, not {kind(value)}")


def _takes_whole(instance: Callable[..., Any], named: dict[str, Any]) -> bool:
    """Whether the module takes a batch, a dict, as its one argument: it has no parameters of these names."""
    parameters = inspect.signature(getattr(instance, "forward", instance)).parameters
    if any(item.kind is item.VAR_KEYWORD for item in parameters.values()):
        return False
    return not set(named) & set(parameters) and bool(parameters)
