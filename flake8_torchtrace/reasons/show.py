"""The measured examples as text for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import Entry, Outcome, broken, is_known
from flake8_torchtrace.reasons.measure import Measured

_WIDTH = len("export-strict, export-nonstrict")


def heading(first: Measured, python: str) -> list[str]:
    """What the figures are about."""
    return [f"torch {first.torch}, Python {python}, CPU", *(f"note: {note}" for note in first.notes)]


def lines(item: Measured) -> Iterator[str]:
    """One example: targets with the same outcome share a line."""
    case = item.case
    mark = remark(item)
    yield f"  {case.kind} {case.number}" + (f"  <-- {mark}" if mark else "")
    for targets, entry in grouped(item.result):
        yield f"    {names(targets):<{_WIDTH}} {words(entry)}"


def grouped(result: Outcome) -> list[tuple[list[Target], Entry]]:
    """The outcomes of one example, each with the targets that share it."""
    groups: list[tuple[list[Target], Entry]] = []
    for target in Target:
        same = next((targets for targets, entry in groups if entry == result[target]), None)
        if same is None:
            groups.append(([target], result[target]))
        else:
            same.append(target)
    return groups


def names(targets: Iterable[Target]) -> str:
    """Targets in words."""
    found = list(targets)
    return "all targets" if len(found) == len(Target) else ", ".join(target.value for target in found)


def words(entry: Entry) -> str:
    """``refused: Data-dependent branching (GB0170; value)``."""
    if "reason" not in entry:
        return entry["status"]
    about = "; ".join(entry[key] for key in ("gb_id", "family") if key in entry)
    return f"{entry['status']}: {entry['reason']}" + (f" ({about})" if about else "")


def remark(item: Measured) -> str:
    """What is not as the rule says, or nothing."""
    if not is_known(item.result):
        return "CANNOT BE RUN"
    breaks = broken(item.result)
    if item.case.kind == "good":
        return f"BREAKS: {names(sorted(breaks, key=list(Target).index))}" if breaks else ""
    if breaks:
        return ""
    return "BREAKS NOWHERE" if item.case.rule.targets else "breaks nowhere on this torch; the rule is about another"


def summary(items: Sequence[Measured]) -> str:
    """How many examples did as the rules say."""
    marked = [item for item in items if remark(item).isupper() or remark(item).startswith("BREAKS: ")]
    told = ", ".join(f"{item.case.rule.code} {item.case.kind} {item.case.number}" for item in marked)
    rules = len({item.case.rule.code for item in items})
    count = f"{number(len(items), 'example')} of {'one rule' if rules == 1 else f'{rules} rules'}"
    return f"{count}: {f'{len(marked)} not as the rule says: {told}' if marked else 'all as the rules say'}"


def number(count: int, what: str) -> str:
    """``1 break``, ``2 breaks``."""
    return f"{count} {what}{'' if count == 1 else 's'}"
