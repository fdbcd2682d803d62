"""Classes of the same file that may run a class that cannot be built alone."""

from __future__ import annotations

import ast
import inspect
import sys
from types import ModuleType
from typing import Any

from .constructor import subclasses
from .kinds import is_abstract, is_module_class


def find_class(home: ModuleType, name: str) -> Any:
    """The class ``name`` of the file, or where it only uses that name's code, of another file of its package. None if there is none."""
    found: Any = home
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type):
        return found
    package = home.__name__.partition(".")[0]
    for key, module in sorted(sys.modules.items()):
        candidate = getattr(module, name, None) if key.partition(".")[0] == package else None
        if isinstance(candidate, type) and candidate.__module__ == key:
            return candidate
    return None


def runners(home: ModuleType, cls: Any) -> list[Any]:
    """The classes of ``home`` made from ``cls``, and those that make it, directly or through others: the nearest first."""
    own = [value for value in vars(home).values() if is_module_class(value) and value.__module__ == home.__name__]
    own = [value for value in dict.fromkeys(own) if value is not cls and not is_abstract(value)]
    found = [value for value in own if issubclass(value, cls)]
    if not found:
        found = subclasses(cls, home)
    names = {cls.__name__, *(value.__name__ for value in found)}
    made = _made_by(home)
    while True:
        more = [value for value in own if value not in found and made.get(value.__name__, set()) & names]
        if not more:
            return found
        found += more
        names |= {value.__name__ for value in more}


def _made_by(home: ModuleType) -> dict[str, set[str]]:
    """By class: the names that it mentions."""
    try:
        tree = ast.parse(inspect.getsource(home))
    except (OSError, TypeError, SyntaxError):
        return {}
    return {
        node.name: {item.id for item in ast.walk(node) if isinstance(item, ast.Name)} for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    }
