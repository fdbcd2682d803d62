"""A verdict as the bracket at the end of a warning."""

from __future__ import annotations

from ..model import Outcome, Target, Verdict

_ORDER = (Outcome.CONFIRMED, Outcome.UNVERIFIED, Outcome.NOT_REACHED, Outcome.DISMISSED)


def render(verdict: Verdict) -> str:
    """For example ``[confirmed on torch 2.13.0: compile: Failed to trace (GB0059); export-strict: accepted]``.

    Targets of one outcome and reason stand together, those of the outcome in sum first.
    """
    outcome = verdict.outcome
    version = f" on torch {verdict.torch}" if verdict.torch and outcome is not Outcome.UNVERIFIED else ""
    groups = _groups(verdict)
    if outcome is Outcome.DISMISSED:
        told = "traced, no break"
    elif len(groups) == 1 and outcome is not Outcome.CONFIRMED:
        told = groups[0][1]
    else:
        told = "; ".join(_told(group, outcome) for group in groups)
    inputs = f"; {verdict.inputs}" if verdict.inputs and outcome is not Outcome.UNVERIFIED else ""
    return f"[{outcome.value}{version}: {told}{inputs}]"


def _groups(verdict: Verdict) -> list[tuple[Outcome, str, list[Target]]]:
    groups: dict[tuple[Outcome, str], list[Target]] = {}
    for target in sorted(verdict.targets, key=list(Target).index):
        judged = verdict.targets[target]
        groups.setdefault((judged.outcome, judged.detail), []).append(target)
    ordered = sorted(groups.items(), key=lambda group: _ORDER.index(group[0][0]))
    return [(outcome, detail, targets) for (outcome, detail), targets in ordered]


def _told(group: tuple[Outcome, str, list[Target]], sum_outcome: Outcome) -> str:
    outcome, detail, targets = group
    names = ", ".join(target.value for target in targets)
    named = outcome in (sum_outcome, Outcome.CONFIRMED, Outcome.DISMISSED)
    return f"{names}: {detail}" if named else f"{names}: {outcome.value.replace('-', ' ')}, {detail}"
