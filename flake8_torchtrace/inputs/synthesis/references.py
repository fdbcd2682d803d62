"""From an object to the dotted name that Python source reads it by."""

from __future__ import annotations

import sys
from typing import Any

from .values import Name


def name_of(found: Any) -> Name:
    """The name of a class, a function or a member of an enumeration. Raises LookupError where nothing holds it."""
    cls = type(found)
    if not isinstance(found, type) and hasattr(found, "name") and hasattr(cls, "__members__"):
        return Name(cls.__module__, f"{cls.__qualname__}.{found.name}")
    module, qualified = str(getattr(found, "__module__", "")), str(getattr(found, "__qualname__", ""))
    holder: Any = sys.modules.get(module)
    for part in qualified.split("."):
        holder = getattr(holder, part, None)
    if holder is not found:
        raise LookupError(f"{qualified or found!r} has no name in {module}")
    if module.partition(".")[0] == "torch" and module.startswith("torch.nn.modules"):
        return Name("torch", f"torch.nn.{qualified}")
    return Name(module, qualified)
