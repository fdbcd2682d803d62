"""What an upgrade changes: by the recorded tables, and asked of two interpreters at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from audit_contents import confirmed, dismissed, finding
from fixtures_support import FIXTURES

from flake8_torchtrace.audit import assemble
from flake8_torchtrace.audit.check import Checker
from flake8_torchtrace.audit.settings import Settings, begin
from flake8_torchtrace.config import Config
from flake8_torchtrace.model import Finding, Outcome, Target, TargetVerdict, Verdict
from flake8_torchtrace.report import FORMATS
from flake8_torchtrace.report.changes import Kind, changes, told
from flake8_torchtrace.report.content import Content, Level
from flake8_torchtrace.verify import Verification
from flake8_torchtrace.verify.interpreter import Interpreter

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


class TwoTorches:
    """In the place of a session: the first torch broke on every finding, the second on those of code TTR101."""

    def warm(self, path: str, source: str) -> None:
        """Nothing is started."""

    def offers_inputs(self, source: str) -> bool:
        return True

    def verify(self, path: str, source: str, findings: Sequence[Finding]) -> Verification:
        after = [confirmed() if item.code == "TTR101" else dismissed() for item in findings]
        return Verification("2.13.0", tuple(zip(findings, after, strict=True)), before=tuple(confirmed() for _ in findings))


NET = """
class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x - x.mean().item()
        return x
"""


@pytest.fixture
def content(write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> Content:
    """Of an audit of ``NET`` by two torches."""
    path = write("net.py", NET, torch=True)
    monkeypatch.chdir(path.parent)
    monkeypatch.setattr("flake8_torchtrace.audit.compare.find_interpreter", lambda python: Interpreter(python, "3.11", f"2.{len(python)}"))
    options, run = begin(Settings(("--isolated",)))
    run.config = Config(pythons=("/a", "/bc"))
    run.session = TwoTorches()  # type: ignore[assignment]
    return assemble.content([Checker(options, run).check("net.py")], [], run.config, Level.LIKELY, None)


def test_what_an_upgrade_fixes_is_told_and_is_no_finding(content: Content) -> None:
    assert [item.finding.code for item in content.items] == ["TTR101"]
    assert content.comparison is not None
    assert content.comparison.torches == ("2.2", "2.3")
    assert [(change.kind, change.finding.code, change.targets) for change in content.comparison.changes] == [
        (Kind.FIXED, "TTR103", (Target.COMPILE,))
    ]
    lines = FORMATS["text"](content).splitlines()
    assert len(lines) == 2
    assert lines[1].startswith("net.py:7:33: TTR103 fixed from torch 2.2 to torch 2.3 (compile): was confirmed: ")
    document = json.loads(FORMATS["json"](content))
    assert document["comparison"]["counts"] == {"broken": 0, "fixed": 1, "unclear": 0, "reason": 0}
    assert document["modules"] == [
        {"path": "net.py", "name": "Net", "line": 4, "standing": ["unknown"], "reason": "", "targets": {}}
    ]
    assert "1 fixed" in FORMATS["html"](content)
