"""What an upgrade changes: by the recorded tables, and asked of two interpreters at once."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from audit_contents import dismissed, finding
from fixtures_support import FIXTURES

from flake8_torchtrace.model import Outcome, Target, TargetVerdict, Verdict
from flake8_torchtrace.report.changes import Kind, changes, told

Key = tuple[str, str, str]
ABSENT = TargetVerdict(Outcome.DISMISSED)


def recorded(torch: str) -> dict[str, dict[str, dict[str, str]]]:
    table: dict[str, dict[str, dict[str, str]]] = json.loads((FIXTURES / "recorded" / f"torch-{torch}.json").read_text(encoding="utf-8"))
    return table


def judged(text: str | None) -> TargetVerdict:
    """A verdict of a table. Where a table has no entry torch broke nowhere near it."""
    if text is None:
        return ABSENT
    outcome, _, detail = text.partition(": ")
    return TargetVerdict(Outcome(outcome), detail)


def places(*tables: dict[str, dict[str, dict[str, str]]]) -> Iterator[tuple[str, str]]:
    yield from sorted({(file, place) for table in tables for file, told in table.items() for place in told})


@pytest.mark.parametrize(("before", "after"), [("2.7.1", "2.13.0"), ("2.13.0", "2.15.0"), ("2.13.0", "2.13.0")])
def test_changes_are_the_differences_of_the_tables(before: str, after: str) -> None:
    old, new = recorded(before), recorded(after)
    found: dict[Kind, set[Key]] = {kind: set() for kind in Kind}
    for file, place in places(old, new):
        was, now = ({target: judged(table[file].get(place, {}).get(target.value)) for target in Target} for table in (old, new))
        for change in changes(file, finding(), Verdict(before, was), Verdict(after, now)):
            found[change.kind] |= {(file, place, target.value) for target in change.targets}
    rows = {(file, place, target.value) for file, place in places(old, new) for target in Target}
    different = {key for key in rows if old[key[0]].get(key[1], {}).get(key[2], "dismissed") != new[key[0]].get(key[1], {}).get(key[2], "dismissed")}
    assert set().union(*found.values()) == different
    assert sum(map(len, found.values())) == len(different)

    def starts(table: dict[str, dict[str, dict[str, str]]], key: Key, word: str) -> bool:
        return table[key[0]].get(key[1], {}).get(key[2], "dismissed").startswith(word)

    assert found[Kind.FIXED] == {key for key in different if starts(old, key, "confirmed") and starts(new, key, "dismissed")}
    assert found[Kind.BROKEN] == {key for key in different if starts(old, key, "dismissed") and starts(new, key, "confirmed")}
    assert found[Kind.REASON] == {key for key in different if starts(old, key, "confirmed") and starts(new, key, "confirmed")}
    assert bool(found[Kind.FIXED]) is (before != after)


def test_one_change_for_all_targets_that_changed_alike() -> None:
    now = dict(dismissed().targets)
    now[Target.COMPILE] = now[Target.FULLGRAPH] = TargetVerdict(Outcome.CONFIRMED, "why")
    now[Target.EXPORT_STRICT] = TargetVerdict(Outcome.NOT_REACHED, "elsewhere")
    broken, unclear = changes("net.py", finding(), dismissed(), Verdict("3", now))
    assert (broken.kind, broken.targets, told(broken.after.values())) == (Kind.BROKEN, (Target.COMPILE, Target.FULLGRAPH), ["confirmed: why"])
    assert (unclear.kind, unclear.targets, unclear.is_of_break) == (Kind.UNCLEAR, (Target.EXPORT_STRICT,), False)
    assert not list(changes("net.py", finding(), dismissed(), dismissed()))
