"""From a source of inputs to a module and its arguments, with every wrong shape told in words."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .importing import import_file
from .mistakes import InputsError, calling, shown
from .returned import Built, arguments, is_args_and_kwargs, read


def build_from_make(path: str, which: int = 0) -> Built:
    """Call ``make()`` of the file ``path``; the set of inputs number ``which``. Raises InputsError."""
    what = f"make() in {shown(path)}"
    function = _function(import_file(path), "make", path)
    return build_from_call(what, function, which)


def build_from_call(what: str, function: Callable[[], Any], which: int = 0) -> Built:
    """Call a function that returns what ``returned`` describes. Raises InputsError."""
    seed()
    return read(what, calling(what, function), which)


def build_from_source(path: str, source: str, what: str) -> Built:
    """Call the ``make()`` that ``source`` defines, which reads the names of the file ``path``. Raises InputsError."""
    names = dict(vars(import_file(path)))
    exec(source, names)
    return build_from_call(what, names["make"])


def example_classes(path: str, owners: list[str]) -> tuple[list[str], list[str]]:
    """The classes that ``example_inputs()`` of ``path`` serves, and a sentence for each it names wrongly. Raises InputsError.

    A dictionary names them itself. Otherwise it is the one module class of the file, or where there are several,
    those among ``owners``.
    """
    what = f"example_inputs() in {shown(path)}"
    module = import_file(path)
    returned = _examples(what, module, path)
    if isinstance(returned, dict):
        right = [name for name in returned if isinstance(name, str) and isinstance(getattr(module, name, None), type)]
        return right, [f"{what}: there is no class {name!r} in {shown(path)}" for name in returned if name not in right]
    classes = [name for name, value in vars(module).items() if _is_own_module_class(value, name, module)]
    chosen = classes if len(classes) == 1 else [name for name in classes if name in owners]
    if not chosen:
        raise InputsError(f"{what}: cannot tell which class these are for; return {{class name: (args, kwargs)}}")
    return chosen, []


def build_from_examples(path: str, class_name: str) -> Built:
    """Build ``class_name`` without arguments, with what ``example_inputs()`` of ``path`` gives. Raises InputsError."""
    what = f"example_inputs() in {shown(path)}"
    module = import_file(path)
    returned = _examples(what, module, path)
    given = returned[class_name] if isinstance(returned, dict) else returned
    instance = calling(f"{what}: {class_name}() without arguments", getattr(module, class_name))
    if not callable(instance):
        raise InputsError(f"{what}: {class_name} is not a module: its instances cannot be called")
    args, kwargs = given if is_args_and_kwargs(given) else (given, {})
    return Built(instance, *arguments(f"{what} for {class_name}", args, kwargs))


def seed() -> None:
    """The same random numbers in every child, so that all targets see the same inputs."""
    random.seed(0)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(0)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(0)


def _examples(what: str, module: ModuleType, path: str) -> Any:
    function = _function(module, "example_inputs", path)
    seed()
    return calling(what, function)


def _function(module: ModuleType, name: str, path: str) -> Callable[[], Any]:
    function: Any = getattr(module, name, None)
    if not callable(function):
        raise InputsError(f"{shown(path)} has no function {name}() once it is imported")
    return function  # type: ignore[no-any-return]


def _is_own_module_class(value: object, name: str, module: ModuleType) -> bool:
    own = isinstance(value, type) and value.__module__ == module.__name__ and value.__name__ == name
    return own and callable(getattr(value, "forward", None))
