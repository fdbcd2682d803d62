"""What the page's program shows on demand, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flake8_torchtrace.model import Observation, Outcome, Target, Verdict
from flake8_torchtrace.report.changes import Change, Kind, told
from flake8_torchtrace.report.content import Content, Item
from flake8_torchtrace.report.html.source import lines
from flake8_torchtrace.report.html.units import Unit

_LONGEST_REASON = 1500
_ORDER = (Outcome.CONFIRMED, Outcome.UNVERIFIED, Outcome.NOT_REACHED, Outcome.DISMISSED)


def data(content: Content, found: Sequence[Unit]) -> dict[str, Any]:
    """All of it; what is the same for many stands there once."""
    home = {index: number for number, unit in enumerate(found) for index in unit.items}
    items = [_item(item, home[index]) for index, item in enumerate(content.items)]
    families = {item.finding.family for item in content.items}
    return {
        "targets": [target.value for target in content.targets],
        "units": [_unit(unit, content) for unit in found],
        "items": items,
        "rules": {code: {"name": rule.name, "text": rule.text.split("\n\n")} for code, rule in content.rules.items()},
        "families": {family.value: {"words": family.words, "fix": family.fix} for family in sorted(families, key=lambda one: one.value)},
        "torches": list(content.comparison.torches) if content.comparison is not None else [],
        "changes": [_change(change) for kind in Kind for change in content.comparison.of(kind)] if content.comparison is not None else [],
    }


def _unit(unit: Unit, content: Content) -> dict[str, Any]:
    module = unit.module
    states = {} if module is None else module.states
    return {
        "kind": unit.kind,
        "path": unit.path,
        "name": unit.name,
        "line": module.line if module is not None else 0,
        "standing": unit.standing(content.items),
        "states": {target.value: [state.status, state.graphs, state.ops, state.why] for target, state in states.items()},
        "reason": module.reason if module is not None else "",
        "items": unit.items,
        "source": _source(unit, content),
    }


def _source(unit: Unit, content: Content) -> list[Any]:
    """The lines of a unit, with those of other places of its file that something is told of."""
    text = content.sources.get(unit.path)
    spans = [content.items[index].finding.span for index in unit.items]
    marked = sorted({span.line for span in spans})
    if text is None or not marked:
        return []
    first, last = (unit.module.line, unit.module.end_line) if unit.module is not None and unit.module.line else (marked[0], marked[-1])
    inside = [line for line in marked if first <= line <= last]
    outside = [line for line in marked if line not in inside]
    shown = dict(lines(text, first, last, inside)) if unit.module is not None and unit.module.line else {}
    for line in outside if shown else marked:
        shown |= dict(lines(text, max(1, line - 4), line + 4, [line]))
    return sorted(shown.items())


def _item(item: Item, unit: int) -> dict[str, Any]:
    finding = item.finding
    return {
        "unit": unit,
        "path": item.path,
        "line": finding.span.line,
        "column": finding.span.column + 1,
        "endColumn": finding.span.end_column + 1 if finding.span.end_line == finding.span.line else 0,
        "code": finding.code,
        "rule": finding.rule,
        "message": finding.message,
        "level": item.level.value,
        "family": finding.family.value,
        "function": item.function or finding.function,
        "fails": item.fails,
        "known": item.is_known,
        "targets": [target.value for target in Target if target in item.targets],
        "stack": [list(place) for place in item.stack],
        "verdicts": _verdicts(item.verdict),
        "inputs": item.verdict.inputs if item.verdict is not None else "",
    }


def _verdicts(verdict: Verdict | None) -> list[dict[str, Any]]:
    """Targets of one outcome and reason together, those that broke first."""
    groups: dict[tuple[Outcome, str], list[Target]] = {}
    for target in Target:
        judged = None if verdict is None else verdict.targets.get(target)
        if judged is not None:
            groups.setdefault((judged.outcome, judged.detail), []).append(target)
    ordered = sorted(groups.items(), key=lambda group: _ORDER.index(group[0][0]))
    return [_group(outcome, detail, targets, verdict) for (outcome, detail), targets in ordered if verdict is not None]


def _group(outcome: Outcome, detail: str, targets: Sequence[Target], verdict: Verdict) -> dict[str, Any]:
    seen = [judged.observation for judged in map(verdict.targets.__getitem__, targets) if judged.observation is not None]
    texts = list(dict.fromkeys(observation.reason.strip()[:_LONGEST_REASON] for observation in seen))
    return {
        "outcome": outcome.value,
        "targets": [target.value for target in targets],
        "detail": detail,
        "reasons": [text for text in texts if text and text not in detail],
        "costs": list(dict.fromkeys(text for observation in seen if (text := cost(observation)))),
    }


def cost(observation: Observation) -> str:
    """What a break of the default compile costs, in words; empty for other targets."""
    if observation.target is not Target.COMPILE:
        return ""
    crossing = len(observation.crossing)
    told = [observation.cost or "splits the graph"]
    if crossing:
        told.append(f"{crossing} {'value crosses' if crossing == 1 else 'values cross'} it: {', '.join(observation.crossing[:6])}")
    return "; ".join(told)


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "path": change.path,
        "line": change.finding.span.line,
        "code": change.finding.code,
        "message": change.finding.message,
        "targets": [target.value for target in change.targets],
        "before": told(change.before.values()),
        "after": told(change.after.values()),
    }

