"""What differs between the verdicts of two torches on the same finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from flake8_torchtrace.model import Finding, Outcome, Target, TargetVerdict, Verdict


class Kind(str, Enum):
    """How a verdict changed, with what is worth telling first."""

    BROKEN = "broken"
    """The first torch went through it, the second breaks."""
    FIXED = "fixed"
    """The first torch broke, the second goes through it."""
    UNCLEAR = "unclear"
    """The outcomes differ, and one of them is not known well enough to speak of the upgrade."""
    REASON = "reason"
    """Both break, for reasons that they tell in other words."""

    @property
    def words(self) -> str:
        """As a sum of changes is told."""
        return "for another reason" if self is Kind.REASON else self.value


@dataclass(frozen=True)
class Change:
    """How the verdict on ``finding`` in the file ``path`` changed for the targets of ``before`` and ``after``, all in the same way."""

    kind: Kind
    path: str
    finding: Finding
    before: Mapping[Target, TargetVerdict]
    after: Mapping[Target, TargetVerdict]

    @property
    def targets(self) -> tuple[Target, ...]:
        """For which targets, in their usual order."""
        return tuple(target for target in Target if target in self.after)

    @property
    def is_of_break(self) -> bool:
        """Whether one of the two broke."""
        return any(judged.outcome is Outcome.CONFIRMED for side in (self.before, self.after) for judged in side.values())


@dataclass(frozen=True)
class Comparison:
    """Two interpreters: their paths, the torch of each, and what changed from the first to the second."""

    pythons: tuple[str, str]
    torches: tuple[str, str]
    changes: tuple[Change, ...] = ()

    def of(self, kind: Kind) -> list[Change]:
        """The changes of one kind."""
        return [change for change in self.changes if change.kind is kind]


def changes(path: str, finding: Finding, before: Verdict, after: Verdict) -> Iterator[Change]:
    """What changed on one finding, one change for each kind."""
    by_kind: dict[Kind, list[Target]] = {}
    for target in Target:
        if target in before.targets and target in after.targets:
            kind = kind_of(before.targets[target], after.targets[target])
            if kind is not None:
                by_kind.setdefault(kind, []).append(target)
    for kind in Kind:
        if kind in by_kind:
            yield Change(kind, path, finding, _only(before, by_kind[kind]), _only(after, by_kind[kind]))


def kind_of(before: TargetVerdict, after: TargetVerdict) -> Kind | None:
    """How one target's verdict changed; None if it did not."""
    outcomes = before.outcome, after.outcome
    if outcomes == (Outcome.CONFIRMED, Outcome.DISMISSED):
        return Kind.FIXED
    if outcomes == (Outcome.DISMISSED, Outcome.CONFIRMED):
        return Kind.BROKEN
    if before.outcome is not after.outcome:
        return Kind.UNCLEAR
    return Kind.REASON if before.outcome is Outcome.CONFIRMED and before.detail != after.detail else None


def told(verdicts: Iterable[TargetVerdict]) -> list[str]:
    """Verdicts in words, each text once."""
    return list(dict.fromkeys(f"{item.outcome.value}: {item.detail}" if item.detail else item.outcome.value for item in verdicts))


def _only(verdict: Verdict, targets: Sequence[Target]) -> dict[Target, TargetVerdict]:
    return {target: verdict.targets[target] for target in targets}
