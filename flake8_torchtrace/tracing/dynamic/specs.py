"""Specifications of dynamic dimensions, from plain data to what ``torch.export`` takes.

The plain form names every dimension that may vary: ``{index of the leaf: {dimension: {"name": "b", "min": 4, "max": 8}}}``, each
bound left out or None where there is none. ``{"name": "b", "times": 2, "plus": 1}`` is a dimension derived from ``b``;
``{"kind": "auto"}`` and ``{"kind": "dynamic"}`` leave name and range to torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .leaves import Call, Leaf

Entry = Mapping[str, Any]
Spec = Mapping[int, Mapping[int, Entry]]


def auto(leaves: list[Leaf]) -> dict[int, dict[int, Entry]]:
    """Every dimension of every tensor left to torch."""
    return {leaf.index: {dim: {"kind": "auto"} for dim in range(len(leaf.size))} for leaf in leaves}


def missing(spec: Spec) -> str | None:
    """What the installed torch lacks for ``spec``, in words."""
    from torch.export import Dim

    for name in ("auto", "dynamic"):
        wanted = any(entry.get("kind") == name for dims in spec.values() for entry in dims.values())
        if wanted and not hasattr(Dim, name.upper()):
            import torch

            return f"torch {torch.__version__.partition('+')[0]} has no Dim.{name.upper()}"
    return None


def for_torch(spec: Spec, call: Call) -> dict[str, Any]:
    """``dynamic_shapes`` for ``torch.export.export``."""
    made = _made(spec)
    filled = call.mapped(lambda index, value: _of_leaf(made.get(index, {}), value))
    return filled.parameters


def _of_leaf(dims: Mapping[int, Any], value: Any) -> Any:
    import torch

    return dict(dims) if isinstance(value, torch.Tensor) else None


def _made(spec: Spec) -> dict[int, dict[int, Any]]:
    from torch.export import Dim

    known: dict[str, Any] = {}
    for dims in spec.values():
        for entry in dims.values():
            if "name" in entry and entry["name"] not in known:
                limits = {key: entry[key] for key in ("min", "max") if entry.get(key) is not None}
                known[entry["name"]] = Dim(entry["name"], **limits)
    return {index: {dim: _dim(entry, known, Dim) for dim, entry in dims.items()} for index, dims in spec.items()}


def _dim(entry: Entry, known: Mapping[str, Any], dim: Any) -> Any:
    if "name" not in entry:
        return getattr(dim, entry["kind"].upper())
    found = known[entry["name"]]
    if entry.get("times", 1) != 1:
        found = entry["times"] * found
    return found + entry["plus"] if entry.get("plus") else found
