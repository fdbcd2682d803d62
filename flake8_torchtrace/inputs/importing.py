"""Importing the file under test as the program around it would."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import site
import sys
import sysconfig
from types import ModuleType

from .mistakes import InputsError, calling, shown

_ROOT_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


def project_root(path: str) -> str | None:
    """The nearest directory above ``path`` that looks like the top of a project."""
    directory = os.path.dirname(os.path.realpath(path))
    while True:
        if any(os.path.exists(os.path.join(directory, mark)) for mark in _ROOT_MARKS):
            return directory
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def dotted_name(path: str) -> tuple[str, str]:
    """``(import root, dotted module name)`` of a file, by walking up the directories that hold an ``__init__.py``."""
    directory, base = os.path.split(os.path.realpath(path))
    stem = os.path.splitext(base)[0]
    names = [] if stem == "__init__" else [stem]
    while os.path.isfile(os.path.join(directory, "__init__.py")):
        directory, name = os.path.split(directory)
        names.insert(0, name)
    return directory, ".".join(names)


def add_to_path(directories: list[str]) -> None:
    """Put ``directories`` on ``sys.path`` after the standard library and before installed packages.

    Not in front: a project file called ``queue.py`` would then replace the standard library's under torch.
    """
    for directory in reversed([os.path.realpath(entry) for entry in directories]):
        if directory in sys.path:
            sys.path.remove(directory)
        sys.path.insert(_end_of_standard_library(), directory)


def import_file(path: str) -> ModuleType:
    """The module of the file ``path``. Raises InputsError if the import fails.

    Its real dotted name is used where it lies in a package; a name of its own where the plain name means something else
    (a file called ``queue.py``).
    """
    path = os.path.realpath(path)
    root, name = dotted_name(path)
    add_to_path([os.getcwd(), root])
    module: ModuleType = calling(f"import of {shown(path)}", lambda: _import(path, name))
    return module


def _import(path: str, name: str) -> ModuleType:
    if all(part.isidentifier() for part in name.split(".")) and _origin(name) == path:
        return importlib.import_module(name)
    alias = f"linted_{hashlib.sha256(path.encode()).hexdigest()[:12]}_{os.path.splitext(os.path.basename(path))[0]}"
    spec = importlib.util.spec_from_file_location(alias, path)
    if spec is None or spec.loader is None:
        raise InputsError(f"{shown(path)} is not a Python source file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[alias] = module
    spec.loader.exec_module(module)
    return module


def _origin(name: str) -> str | None:
    top = sys.modules.get(name.partition(".")[0])
    if top is not None and "." in name and not hasattr(top, "__path__"):
        return None
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # a module already loaded that has no spec, such as __main__
        return None
    return os.path.realpath(spec.origin) if spec is not None and spec.origin else None


def _end_of_standard_library() -> int:
    installed = {os.path.realpath(entry) for entry in (*site.getsitepackages(), site.getusersitepackages())}
    installed |= {os.path.realpath(sysconfig.get_path(key)) for key in ("purelib", "platlib")}
    for position, entry in enumerate(sys.path):
        if os.path.realpath(entry) in installed:
            return position
    return len(sys.path)
