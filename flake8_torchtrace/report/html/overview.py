"""The first screen: how many modules stand how, which families, files and breaks matter most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from flake8_torchtrace.model import Observation, Outcome, Target
from flake8_torchtrace.report.changes import Kind
from flake8_torchtrace.report.content import Content, Item, Level
from flake8_torchtrace.report.html.data import cost
from flake8_torchtrace.report.html.units import MODULE, Unit
from flake8_torchtrace.report.modules import BREAKING

_MOST = 10
_BREAKS = frozenset({Level.CONFIRMED, Level.LIKELY, Level.POSSIBLE})


@dataclass(frozen=True)
class Card:
    """A number, what it counts, and the filter that lists that."""

    number: int
    label: str
    standing: str
    help: str


@dataclass(frozen=True)
class Bar:
    """One row of a chart: parts as ``(css class, number, words)``. ``key`` is what the filter takes."""

    label: str
    key: str
    parts: tuple[tuple[str, int, str], ...]
    note: str = ""

    @property
    def total(self) -> int:
        """The sum of the parts."""
        return sum(number for _, number, _ in self.parts)

    @property
    def words(self) -> str:
        """For those who do not see the bar."""
        return ", ".join(f"{number:,} {words}" for _, number, words in self.parts if number) or "none"


def changed(content: Content) -> list[tuple[str, int, str]]:
    """How many verdicts another torch changes: kind, number, words."""
    comparison = content.comparison
    return [] if comparison is None else [(kind.value, len(comparison.of(kind)), kind.words) for kind in Kind]


def cards(content: Content, units: Sequence[Unit]) -> list[Card]:
    """How many modules stand how. Where torch was not asked only what the linter says."""
    modules = [unit for unit in units if unit.kind == MODULE]
    counts = Counter(standing for unit in modules for standing in unit.standing(content.items))
    clean = sum("unknown" in (told := unit.standing(content.items)) and "likely" not in told for unit in modules)
    if not content.torch:
        return [
            Card(counts["likely"], "likely broken", "likely", "the source alone says that torch will break there"),
            Card(clean, "nothing found", "clean", "no finding, and torch was not asked"),
        ]
    return [
        Card(counts["whole-graph"], "whole-graph", "whole-graph", "compiled without a break"),
        Card(counts["export-ready"], "export-ready", "export-ready", "accepted by every export that was asked for"),
        Card(counts["broken"], "broken", "broken", "torch broke or refused it for some target"),
        Card(counts["unknown"], "unknown", "unknown", "torch could not run it, or there are no inputs for it"),
    ]


def target_bars(content: Content, units: Sequence[Unit]) -> list[Bar]:
    """For each target, how many modules pass."""
    modules = [unit.module for unit in units if unit.module is not None]
    bars = []
    for target in content.targets:
        states = [module.states[target].status for module in modules if target in module.states]
        good, bad = states.count("ok"), sum(status in BREAKING for status in states)
        parts = (("good", good, "pass"), ("bad", bad, "broken"), ("unknown", len(modules) - good - bad, "unknown"))
        bars.append(Bar(target.value, target.value, parts))
    return bars


def family_bars(content: Content) -> list[Bar]:
    """The families of breaks, the most frequent first, with what mends them."""
    breaks = [item for item in content.items if item.level in _BREAKS]
    families = Counter(item.finding.family for item in breaks)
    bars = []
    for family, _ in families.most_common():
        own = [item for item in breaks if item.finding.family is family]
        bars.append(Bar(family.words, family.value, _levels(own), family.fix))
    return bars


def file_bars(content: Content) -> list[Bar]:
    """The files with most breaks."""
    by_path: dict[str, list[Item]] = {}
    for item in content.items:
        if item.level in _BREAKS:
            by_path.setdefault(item.path, []).append(item)
    ordered = sorted(by_path.items(), key=lambda pair: (-sum(item.level is Level.CONFIRMED for item in pair[1]), -len(pair[1]), pair[0]))
    return [Bar(path, path, _levels(items)) for path, items in ordered[:_MOST]]


def _levels(items: Sequence[Item]) -> tuple[tuple[str, int, str], ...]:
    counts = Counter(item.level for item in items)
    return tuple((level.value, counts[level], level.value) for level in (Level.CONFIRMED, Level.LIKELY, Level.POSSIBLE))


@dataclass(frozen=True)
class Costly:
    """A finding by its index, with what it costs in words."""

    index: int
    item: Item
    cost: str
    refused: str


def costly(content: Content) -> list[Costly]:
    """The confirmed breaks that cost most: those that stop most targets, then by what they do to the default compile."""
    confirmed = [(index, item) for index, item in enumerate(content.items) if item.level is Level.CONFIRMED]
    ordered = sorted(confirmed, key=lambda pair: _weight(pair[1]), reverse=True)[:_MOST]
    return [Costly(index, item, _cost(item), _refused(item)) for index, item in ordered]


def _weight(item: Item) -> tuple[int, tuple[int, int]]:
    compiled = _seen(item).get(Target.COMPILE)
    return len(_seen(item)), compiled.weight if compiled is not None else (0, 0)


def _cost(item: Item) -> str:
    compiled = _seen(item).get(Target.COMPILE)
    return "" if compiled is None else cost(compiled)


def _refused(item: Item) -> str:
    return ", ".join(target.value for target in _seen(item) if target is not Target.COMPILE)


def _seen(item: Item) -> dict[Target, Observation]:
    judged = {} if item.verdict is None else item.verdict.targets
    return {
        target: verdict.observation
        for target, verdict in judged.items()
        if verdict.outcome is Outcome.CONFIRMED and verdict.observation is not None
    }
