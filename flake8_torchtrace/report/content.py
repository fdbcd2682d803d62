"""What an audit found, as its writers take it. Everything is decided: a writer only puts it into a form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from flake8_torchtrace.model import Finding, Outcome, Target, Verdict
from flake8_torchtrace.report.changes import Comparison
from flake8_torchtrace.report.modules import Module


class Level(str, Enum):
    """How much stands behind a finding, the weakest first. ``note`` is what the tool says of itself."""

    NOTE = "note"
    DISMISSED = "dismissed"
    POSSIBLE = "possible"
    LIKELY = "likely"
    CONFIRMED = "confirmed"


@dataclass(frozen=True)
class Item:
    """One finding. ``path`` has slashes, relative to where the audit ran if it lies there; ``message`` ends with the verdict.

    ``fingerprint`` stays the same while lines move; ``is_known`` tells that the baseline has it, ``fails`` that the gate does not let it
    pass. ``stack`` is what torch was at when it broke, or the calls that lead there: places as ``(path, line, function)``, outermost first.
    ``function`` is the function it stands in, with its classes (``Net.forward``).
    """

    path: str
    finding: Finding
    verdict: Verdict | None
    message: str
    fingerprint: str
    is_known: bool = False
    fails: bool = False
    stack: tuple[tuple[str, int, str], ...] = ()
    function: str = ""

    @property
    def level(self) -> Level:
        """How much stands behind it."""
        return level_of(self.finding, self.verdict)

    @property
    def targets(self) -> frozenset[Target]:
        """What it breaks: by torch's verdict where there is one, else by the rule's claim."""
        if self.verdict is None or not self.verdict.torch:
            return self.finding.targets
        confirmed = frozenset(target for target, judged in self.verdict.targets.items() if judged.outcome is Outcome.CONFIRMED)
        return confirmed or (frozenset() if self.level is Level.DISMISSED else self.finding.targets)


@dataclass(frozen=True)
class Problem:
    """A file that could not be checked, and why."""

    path: str
    message: str
    line: int = 1


@dataclass(frozen=True)
class RuleHelp:
    """What a code means. ``text`` is Markdown."""

    code: str
    name: str
    summary: str
    text: str


@dataclass(frozen=True)
class Content:
    """All of an audit. ``torch`` is empty where torch was not asked; ``missing`` are files that an interrupted audit did not get to.

    ``vanished`` are entries of the baseline that were not found any more, in words. ``comparison`` is there if two torches were asked.
    ``sources`` are the texts of files with findings or modules, where a writer shows them.
    """

    version: str
    python: str
    torch: str
    targets: tuple[Target, ...]
    fail_on: Level
    items: tuple[Item, ...] = ()
    checked: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    missing: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    has_baseline: bool = False
    rules: Mapping[str, RuleHelp] = field(default_factory=dict)
    comparison: Comparison | None = None
    modules: tuple[Module, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)

    @property
    def failing(self) -> tuple[Item, ...]:
        """What the gate does not let pass."""
        return tuple(item for item in self.items if item.fails)


def level_of(finding: Finding, verdict: Verdict | None) -> Level:
    """How much stands behind a finding."""
    if finding.code.startswith("TTR0"):
        return Level.NOTE
    outcome = None if verdict is None else verdict.outcome
    if outcome is Outcome.CONFIRMED:
        return Level.CONFIRMED
    if outcome is Outcome.DISMISSED:
        return Level.DISMISSED
    return Level(finding.confidence.value)
