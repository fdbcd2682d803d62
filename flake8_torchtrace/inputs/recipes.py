"""The recipes file: ``RECIPES = {key: function}``, where a function returns what ``make()`` returns."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from .build import build_from_call
from .importing import add_to_path, import_file, project_root
from .mistakes import InputsError, calling, kind, shown
from .returned import Built


@dataclass(frozen=True)
class Recipe:
    """One entry: the class, or function, it names, the file that defines it (None: known once built), what is wrong with it."""

    key: str
    class_name: str
    path: str | None = None
    mistake: str | None = None

    def to_dict(self) -> dict[str, str | None]:
        """Plain data for the wire."""
        return asdict(self)


def list_recipes(path: str) -> list[Recipe]:
    """The entries of the recipes file ``path``, each with the file its key resolves to. Raises InputsError."""
    return [_resolve(key, path) for key in _load(path)]


def build_from_recipe(path: str, key: str, which: int = 0) -> Built:
    """Call the recipe ``key`` of the recipes file ``path``; the set of inputs number ``which``. Raises InputsError."""
    return build_from_call(f"recipe {key!r} in {shown(path)}", _load(path)[key], which)


def source_files(module: Any) -> list[str]:
    """The files that define the class of ``module``, its submodules' classes and their bases, without torch's own."""
    owner = module.__self__ if inspect.ismethod(module) else module
    if inspect.isfunction(owner):
        return [os.path.realpath(owner.__code__.co_filename)]
    instances = [owner, *(owner.modules() if hasattr(owner, "modules") else ())]
    classes = {base for instance in instances for base in type(instance).__mro__}
    names = {_source_file(base) for base in classes if base.__module__.partition(".")[0] not in ("torch", "builtins")}
    return sorted(name for name in names if name is not None)


def _load(path: str) -> dict[str, Callable[[], Any]]:
    if not os.path.isfile(path):
        raise InputsError(f"there is no recipes file {shown(path)}")
    root = project_root(path)
    directories = [os.getcwd(), *([root, os.path.join(root, "src")] if root else []), os.path.dirname(path)]
    add_to_path([directory for directory in directories if os.path.isdir(directory)])
    recipes = getattr(import_file(path), "RECIPES", None)
    if not isinstance(recipes, dict):
        raise InputsError(f"{shown(path)} must define RECIPES, a dict of class to function")
    for key, function in recipes.items():
        if not isinstance(key, str):
            raise InputsError(f"RECIPES in {shown(path)}: the key {key!r} must be a string naming a class")
        if not callable(function):
            raise InputsError(f"recipe {key!r} in {shown(path)} must be a function, not {kind(function)}")
    return recipes


def _resolve(key: str, recipes_path: str) -> Recipe:
    what = f"recipe {key!r} in {shown(recipes_path)}"
    place, colon, class_name = key.rpartition(":")
    if colon:
        return _resolve_path(key, place, class_name, what, recipes_path)
    module_name, dot, class_name = key.rpartition(".")
    if not dot:
        return Recipe(key, key)
    path: str | None = None
    try:
        path = calling(what, lambda: _module_file(module_name))
        return Recipe(key, class_name, calling(what, lambda: _defining_file(module_name, class_name, path)))
    except InputsError as error:
        return Recipe(key, class_name, path, str(error))


def _resolve_path(key: str, place: str, class_name: str, what: str, recipes_path: str) -> Recipe:
    bases = (os.path.dirname(recipes_path), project_root(recipes_path) or os.getcwd(), os.getcwd())
    for base in bases:
        path = os.path.realpath(os.path.join(base, place))
        if os.path.isfile(path):
            missing = None if _defines(path, class_name) else f"{what}: there is no class {class_name} in {place}"
            return Recipe(key, class_name, path, missing)
    return Recipe(key, class_name, None, f"{what}: there is no file {place}")


def _module_file(module_name: str) -> str | None:
    spec = importlib.util.find_spec(module_name)
    if spec is None:
        raise InputsError(f"there is no module {module_name}")
    return os.path.realpath(spec.origin) if spec.origin and os.path.isfile(spec.origin) else None


def _defining_file(module_name: str, class_name: str, module_file: str | None) -> str | None:
    if module_file is not None and _defines(module_file, class_name):
        return module_file
    found = getattr(importlib.import_module(module_name), class_name, None)
    if found is None:
        raise InputsError(f"there is no class {class_name} in module {module_name}")
    if not isinstance(found, type) and not inspect.isfunction(inspect.unwrap(found)):
        raise InputsError(f"{class_name} in module {module_name} is not a class")
    return _source_file(found)


def _defines(path: str, class_name: str) -> bool:
    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    is_class = any(isinstance(node, ast.ClassDef) and node.name == class_name for node in ast.walk(tree))
    return is_class or any(isinstance(node, ast.FunctionDef) and node.name == class_name for node in tree.body)


def _source_file(found: Any) -> str | None:
    try:
        path = inspect.getsourcefile(found)
    except TypeError:  # built-in
        return None
    return os.path.realpath(path) if path else None
