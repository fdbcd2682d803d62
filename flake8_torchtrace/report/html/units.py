"""Findings by the module that they concern, with the findings of plain functions by function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from flake8_torchtrace.report.content import Content, Item
from flake8_torchtrace.report.modules import Module, Standing

MODULE, FUNCTION = "module", "function"


@dataclass
class Unit:
    """``kind``: a module, or a function or file that belongs to none. ``items`` are indexes into those of the content."""

    kind: str
    path: str
    name: str
    module: Module | None = None
    items: list[int] = field(default_factory=list)

    def standing(self, items: Sequence[Item]) -> list[str]:
        """All that is true of it, in words that stay the same; ``likely`` where only the linter speaks."""
        known = self.module.standing if self.module is not None else frozenset({Standing.UNKNOWN})
        told = [standing.value for standing in Standing if standing in known]
        if any(items[index].fails or items[index].is_known for index in self.items) and Standing.BROKEN not in known:
            told.append("likely")
        return told


def units(content: Content) -> list[Unit]:
    """All modules, and whatever else has findings, in the order of the files."""
    found = {(module.path, module.name): Unit(MODULE, module.path, module.name, module) for module in content.modules}
    for index, item in enumerate(content.items):
        _unit_of(item, found).items.append(index)
    return sorted(found.values(), key=lambda unit: (unit.path, unit.module.line if unit.module and unit.module.line else 1 << 30, unit.name))


def _unit_of(item: Item, found: dict[tuple[str, str], Unit]) -> Unit:
    for name in (item.finding.owner or "", *_around(item)):
        unit = found.get((item.path, name))
        if unit is not None and unit.kind == MODULE:
            return unit
    name = item.finding.function
    return found.setdefault((item.path, name), Unit(FUNCTION, item.path, name))


def _around(item: Item) -> list[str]:
    """The classes that a finding stands in, the innermost first: ``Net.Block`` and ``Net`` of ``Net.Block.forward``."""
    parts = item.function.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
