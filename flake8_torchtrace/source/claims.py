"""What a hit claims on the torch and for the targets that a project wants, and whether that is worth a finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from flake8_torchtrace.model import ALL_TARGETS, EXPORT_TARGETS, Family, Target
from flake8_torchtrace.source.rule import Hit, Rule

LOST_NAME = "effect-lost-at-export"
_LOST_EFFECT = "export accepts it and drops it, the exported program does not do it"


class Torch(Protocol):
    """Knows what breaks on one version of torch."""

    @property
    def version(self) -> str:
        """Which one."""

    def breaks(self, code: str, claimed: frozenset[Target], name: str) -> frozenset[Target]:
        """What breaks there of a hit of rule ``code`` that claims to break ``claimed``; ``name``: what is called, if that is it."""

    def may_break(self, code: str) -> bool:
        """Whether any hit of rule ``code`` can break anything there."""


@dataclass(frozen=True)
class LintSettings:
    """``methods``: entry points besides forward; ``possible``: report weak evidence too; ``targets``: report what breaks one of these,
    with ``keeps_all`` also what breaks others; ``torch``: on this torch, None for the one that the rules describe."""

    methods: tuple[str, ...] = ()
    possible: bool = False
    targets: frozenset[Target] = ALL_TARGETS
    keeps_all: bool = False
    torch: Torch | None = None

    def may_report(self, rule: Rule) -> bool:
        """Whether hits of ``rule`` can be worth a finding: a rule about other versions of torch has none of its own."""
        return bool(rule.targets) or (self.torch is not None and self.torch.may_break(rule.code))


@dataclass(frozen=True)
class Claim:
    """What becomes of a hit. ``targets`` is empty where nothing breaks and an effect is lost."""

    code: str
    name: str
    effect: str
    family: Family
    targets: frozenset[Target]


def claim(rule: Rule, hit: Hit, name: str, settings: LintSettings) -> Claim | None:
    """What ``hit`` claims under ``settings``; None if that is nothing. ``name``: that of its event."""
    claimed = rule.targets if hit.targets is None else hit.targets
    targets = claimed if settings.torch is None else settings.torch.breaks(rule.code, claimed, name)
    if not targets & settings.targets:
        if rule.lost_at_export and settings.targets & EXPORT_TARGETS:
            return Claim(rule.lost_at_export, LOST_NAME, _LOST_EFFECT, Family.EFFECT, frozenset())
        if not (settings.keeps_all and targets):
            return None
    effect = hit.effect or rule.effect
    if targets != claimed and settings.torch is not None:
        effect = f"{effect_of(targets)} (torch {settings.torch.version})"
    return Claim(rule.code, rule.name, effect, rule.family, targets)


def effect_of(targets: Iterable[Target]) -> str:
    """What it does to ``targets``, in one phrase."""
    found = frozenset(targets)
    refusing = ["fullgraph"] if Target.FULLGRAPH in found else []
    if found >= EXPORT_TARGETS:
        refusing.append("export")
    elif found & EXPORT_TARGETS:
        refusing.append("strict export" if Target.EXPORT_STRICT in found else "non-strict export")
    parts = ["breaks the graph in compile"] if Target.COMPILE in found else []
    return ", ".join([*parts, *([f"refused by {' and '.join(refusing)}"] if refusing else [])])
