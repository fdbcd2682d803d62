"""Which arguments of torch functions and tensor methods are Python ints, and which are other numbers, by torch's own declarations.

A tensor is accepted there too: the argument parser reads the number out of it
(``torch/csrc/utils/python_arg_parser.cpp``, the branches for ``INT64`` and ``INT_LIST``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Entry = dict[str, Any]
Facts = dict[str, Any]

_INTS = {"int", "size", "none"}
_NUMBERS = {"int", "float", "number", "none"}
_UNKNOWN = "?"


def section(functions: Mapping[str, list[Entry]], methods: Mapping[str, list[Entry]]) -> dict[str, Facts]:
    """The facts by dotted name, methods as ``torch.Tensor.<name>``; nothing of those that take no ints."""
    entries = {**functions, **{f"torch.Tensor.{name}": found for name, found in methods.items()}}
    facts = {name: int_arguments(found) for name, found in entries.items()}
    return {name: found for name, found in facts.items() if found}


def int_arguments(entries: Iterable[Entry]) -> Facts:
    """The arguments that every overload which has them declares to be ints or sizes.

    ``at``: positions; ``named``: keywords; ``rest``: the position from which on all are (``view(*size)``).
    """
    overloads = list(entries)
    places = range(max((len(entry["params"]) for entry in overloads), default=0))
    names = sorted({name for entry in overloads for name in [*entry["params"], *entry.get("only", [])]})
    spread = [len(entry["params"]) for entry in overloads if entry.get("rest") == "int"]
    facts: Facts = {
        "at": [place for place in places if _are_ints(_at(overloads, place))],
        "named": [name for name in names if _are_ints(_named(overloads, name))],
    }
    # view(dtype) beside view(*size): a tensor there can only mean a size.
    if spread and not any("T" in kinds for place in places for kinds in _at(overloads, place)):
        facts["rest"] = min(spread)
    return {key: value for key, value in facts.items() if value != []}


def scalars(functions: Mapping[str, list[Entry]], methods: Mapping[str, list[Entry]]) -> dict[str, Facts]:
    """The facts about arguments that are floats or numbers of any kind, as `section` has those about ints."""
    entries = {**functions, **{f"torch.Tensor.{name}": found for name, found in methods.items()}}
    facts = {name: scalar_arguments(list(found)) for name, found in entries.items()}
    return {name: found for name, found in facts.items() if found}


def scalar_arguments(overloads: list[Entry]) -> Facts:
    """The arguments that every overload which has them declares to be a number, and not only an int."""
    places = range(max((len(entry["params"]) for entry in overloads), default=0))
    names = sorted({name for entry in overloads for name in [*entry["params"], *entry.get("only", [])]})
    facts: Facts = {
        "at": [place for place in places if _are_scalars(_at(overloads, place))],
        "named": [name for name in names if _are_scalars(_named(overloads, name))],
    }
    return {key: value for key, value in facts.items() if value != []}


def _are_scalars(found: list[set[str]]) -> bool:
    kinds = set[str]().union(*found)
    return kinds <= _NUMBERS and bool(kinds & {"float", "number"})


def _at(overloads: list[Entry], place: int) -> list[set[str]]:
    """What each overload that has an argument at ``place`` takes there."""
    fixed = [entry["types"].get(entry["params"][place]) for entry in overloads if place < len(entry["params"])]
    return [_kinds(code) for code in [*fixed, *(entry["rest"] for entry in overloads if "rest" in entry)]]


def _named(overloads: list[Entry], name: str) -> list[set[str]]:
    return [_kinds(entry["types"].get(name)) for entry in overloads if name in [*entry["params"], *entry.get("only", [])]]


def _kinds(code: str | None) -> set[str]:
    return set((code or _UNKNOWN).split("|"))


def _are_ints(found: list[set[str]]) -> bool:
    kinds = set[str]().union(*found)
    return kinds <= _INTS and kinds != {"none"} and bool(kinds)
