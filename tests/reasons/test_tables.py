"""Reading, merging and writing tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import ClassVar

import pytest

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import Outcome
from flake8_torchtrace.reasons.examples import digest
from flake8_torchtrace.reasons.profiles import profiles, write_profiles
from flake8_torchtrace.reasons.tables import RuleEntry, Table, TableError, dumps, merged, read, recorded, version_key, write
from flake8_torchtrace.source.rule import Example, Rule
from flake8_torchtrace.source.rules import all_rules

ACCEPTED: Outcome = {target: {"status": "accepted"} for target in Target}
BROKEN: Outcome = {**ACCEPTED, Target.COMPILE: {"status": "broke", "reason": "why", "gb_id": "GB0001", "family": "value"}}
UNUSABLE: Outcome = {target: {"status": "unusable", "reason": "needs a package"} for target in Target}


def table(torch: str = "2.13.0", python: str = "3.11", **rules: RuleEntry) -> Table:
    return Table(torch, python, rules)


def rule(*bad: Outcome, examples: str = "0123abcd") -> RuleEntry:
    return RuleEntry(examples, list(bad), [ACCEPTED])


def test_a_table_comes_back_as_it_was_written(tmp_path: Path) -> None:
    written = table(TTR802=rule(BROKEN, ACCEPTED), TTR801=rule(UNUSABLE))
    write(written, tmp_path / "table.json")
    assert read(tmp_path / "table.json") == written


def test_one_line_for_each_example_and_target() -> None:
    lines = dumps(table(TTR802=rule(BROKEN), TTR801=rule(ACCEPTED))).splitlines()
    broke = '"compile": {"status": "broke", "reason": "why", "gb_id": "GB0001", "family": "value"},'
    assert [line.strip() for line in lines].count(broke) == 1
    assert sum('"status"' in line for line in lines) == 4 * len(Target)
    assert list(json.loads("\n".join(lines))["rules"]) == ["TTR801", "TTR802"]


def test_merging_replaces_the_rules_that_were_run_again() -> None:
    old = table(TTR801=rule(ACCEPTED), TTR802=rule(ACCEPTED))
    assert merged(old, table(TTR802=rule(BROKEN))).rules == {"TTR801": rule(ACCEPTED), "TTR802": rule(BROKEN)}


@pytest.mark.parametrize("other", [table("2.15.0"), table(python="3.12")])
def test_tables_of_different_torch_or_python_do_not_mix(other: Table) -> None:
    with pytest.raises(TableError, match=r"recorded with torch 2\.13\.0, Python 3\.11, this is torch"):
        merged(table(), other)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"torch": "2.13.0", "python": "3.11", "rules": {"TTR801": {}}}'])
def test_a_file_that_is_no_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(text)
    with pytest.raises(TableError, match="is not a table of torchtrace reasons"):
        read(path)


def test_files_that_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"cannot read .*No such file"):
        read(tmp_path / "gone.json")
    with pytest.raises(TableError, match=r"cannot write .*directory"):
        write(table(), tmp_path)


def test_recorded_tables_are_in_the_order_of_their_versions(tmp_path: Path) -> None:
    for torch in ("2.13.0", "2.7.1", "2.2.2"):
        write(table(torch), tmp_path / f"torch-{torch}.json")
    assert [found.torch for found in recorded(tmp_path)] == ["2.2.2", "2.7.1", "2.13.0"]
    assert version_key("2.7.1") < version_key("2.13.0")


class Cases(Rule):
    """Made-up rules: their examples are never linted under their codes."""

    code = "TTR801"
    bad: ClassVar[tuple[Example, ...]] = tuple(Example(f"class Net(nn.Module):\n    size = {size}\n") for size in range(3))
    good: ClassVar[tuple[Example, ...]] = ()


def of_cases(*bad: Outcome) -> RuleEntry:
    return RuleEntry(digest(Cases()), list(bad), [])


def test_profiles_tell_examples_that_differ_apart() -> None:
    old = table("2.2.2", TTR801=of_cases(BROKEN, ACCEPTED, ACCEPTED))
    new = table(TTR801=of_cases(BROKEN, BROKEN, BROKEN))
    assert profiles([old, new], [Cases()]) == {
        "torch": ["2.2.2", "2.13.0"],
        "rules": {
            "TTR801": [
                {"calls": [], "2.2.2": ["compile"], "2.13.0": ["compile"]},
                {"calls": [], "2.2.2": [], "2.13.0": ["compile"]},
            ]
        },
    }


def test_profiles_leave_out_what_could_not_be_run_and_what_is_of_other_examples() -> None:
    stale, unusable = rule(BROKEN, BROKEN, BROKEN), of_cases(UNUSABLE, BROKEN, UNUSABLE)
    assert profiles([table("2.2.2", TTR801=stale), table(TTR801=unusable)], [Cases()])["rules"] == {
        "TTR801": [{"calls": [], "2.13.0": ["compile"]}]
    }
    assert profiles([table("2.2.2", TTR801=stale), table(TTR802=unusable)], [Cases()])["rules"] == {}


def test_profiles_name_what_is_called() -> None:
    (real,) = (known for known in all_rules() if known.code == "TTR401")
    entry = RuleEntry(digest(real), [BROKEN for _ in real.bad], [ACCEPTED for _ in real.good])
    assert {"nonzero"} < {name for found in profiles([table(TTR401=entry)], [real])["rules"]["TTR401"] for name in found["calls"]}


def test_the_small_file_is_written_from_all_tables(tmp_path: Path) -> None:
    for found in recorded()[:2]:
        write(found, tmp_path / f"torch-{found.torch}.json")
    write_profiles(tmp_path)
    assert json.loads((tmp_path / "targets.json").read_text()) == profiles(recorded(tmp_path), all_rules())
