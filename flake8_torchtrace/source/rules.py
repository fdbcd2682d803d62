"""Finds the rules: every subclass of `Rule` in the modules of a package."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from dataclasses import dataclass, field

from flake8_torchtrace.source.rule import Rule

PACKAGE = "flake8_torchtrace.rules"


@functools.cache
def all_rules() -> tuple[Rule, ...]:
    """One instance of every rule, by code. Raises ValueError if two have the same code or one lacks a part."""
    package = importlib.import_module(PACKAGE)
    found: dict[str, Rule] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda info: info.name):
        module = importlib.import_module(f"{PACKAGE}.{info.name}")
        for value in vars(module).values():
            if isinstance(value, type) and issubclass(value, Rule) and value.__module__ == module.__name__:
                _check(value)
                if value.code in found:
                    raise ValueError(f"{value.code} is the code of two rules: {found[value.code].name} and {value.name}")
                found[value.code] = value()
    return tuple(found[code] for code in sorted(found))


_REQUIRED = ("code", "name", "family", "effect", "instead", "why", "fine", "bad", "good")


def _check(rule: type[Rule]) -> None:
    missing = [name for name in _REQUIRED if not hasattr(rule, name)]
    if missing:
        raise ValueError(f"rule {rule.__module__}.{rule.__name__} does not say its {', '.join(missing)}")
    if not (rule.calls or rule.methods or rule.attributes or rule.sees):
        raise ValueError(f"rule {rule.code} asks for nothing: set calls, methods, attributes or sees")


@dataclass
class Dispatch:
    """Which rules want what."""

    calls: dict[str, list[Rule]] = field(default_factory=dict)
    packages: dict[str, list[Rule]] = field(default_factory=dict)
    methods: dict[str, list[Rule]] = field(default_factory=dict)
    attributes: dict[str, list[Rule]] = field(default_factory=dict)
    kinds: dict[str, list[Rule]] = field(default_factory=dict)


@functools.cache
def dispatch() -> Dispatch:
    """The table that the engine asks for every call, test and subscript."""
    table = Dispatch()
    for rule in all_rules():
        for name in rule.calls:
            (table.packages if name.endswith(".*") else table.calls).setdefault(name.removesuffix(".*"), []).append(rule)
        for name in rule.methods:
            table.methods.setdefault(name, []).append(rule)
        for name in rule.attributes:
            table.attributes.setdefault(name, []).append(rule)
        for kind in rule.sees:
            table.kinds.setdefault(kind, []).append(rule)
    return table


def rules_for_call(table: Dispatch, dotted: str) -> list[Rule] | None:
    """The rules that want calls of ``dotted``, by its name or by a package it lies in."""
    found = table.calls.get(dotted)
    package = dotted
    while found is None and "." in package:
        package = package.rpartition(".")[0]
        found = table.packages.get(package)
    return found
