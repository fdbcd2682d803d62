"""The tables in the repository: complete, of the examples as they are, and true on the installed torch."""

from __future__ import annotations

import ast
import hashlib
import re
import sys

import pytest

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import Outcome, broken, is_known
from flake8_torchtrace.reasons.examples import KINDS, Case, cases
from flake8_torchtrace.reasons.gate import FILE, FOLDER, REFERENCE, installed_version
from flake8_torchtrace.reasons.measure import measure
from flake8_torchtrace.reasons.profiles import dumps
from flake8_torchtrace.reasons.tables import Table, current, file_name, recorded
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.source.rules import all_rules

TABLES = {table.torch: table for table in recorded()}
OTHERS = [table for torch, table in TABLES.items() if torch != REFERENCE]
RECORD = "run `torchtrace reasons --rule {code} --record`"
# Running all examples takes minutes: in every run of the tests so many are run again. Which they are follows from their names and codes.
SAMPLE_SIZE = 10
each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)


def sample() -> list[Case]:
    return sorted(cases(all_rules()), key=lambda case: hashlib.sha256(f"{case.file_name}{case.source}".encode()).hexdigest())[:SAMPLE_SIZE]


def results(table: Table, rule: Rule) -> list[Outcome]:
    """What the table says of every example of ``rule``, as ``cases`` orders them."""
    return [result for kind in KINDS for result in table.rules[rule.code].of(kind)]


def test_the_versions() -> None:
    assert list(TABLES) == ["2.2.2", "2.7.1", REFERENCE, "2.15.0"]
    assert {path.name for path in FOLDER.iterdir()} == {FILE, *map(file_name, TABLES)}


@each_rule
def test_every_rule_is_recorded_on_the_reference(rule: Rule) -> None:
    entry = current(TABLES[REFERENCE], rule)
    assert entry is not None, RECORD.format(code=rule.code)
    assert [len(entry.of(kind)) for kind in KINDS] == [len(rule.bad), len(rule.good)]


@each_rule
def test_a_rule_is_recorded_on_all_other_torches_or_it_is_new_to_all(rule: Rule) -> None:
    missing = [table.torch for table in OTHERS if current(table, rule) is None]
    how = f"{RECORD.format(code=rule.code)} with --python PATH, for torch {', '.join(missing)}"
    assert missing in ([], [table.torch for table in OTHERS]), how


@pytest.mark.parametrize("torch", TABLES)
def test_no_text_is_of_one_machine(torch: str) -> None:
    text = (FOLDER / file_name(torch)).read_text(encoding="utf-8")
    assert re.findall(r"(?<![\w.])/[\w.~+-]+/|site-packages|0x[0-9a-f]{6,}", text) == []


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_nothing_was_missing_when_it_was_recorded(table: Table) -> None:
    entries = [entry for rule in table.rules.values() for kind in KINDS for result in rule.of(kind) for entry in result.values()]
    kept_from_running = re.compile(r"ModuleNotFoundError|took longer than the limit|verification itself failed|ended by signal")
    assert [entry for entry in entries if kept_from_running.search(entry.get("reason", ""))] == []


def test_the_small_file_is_that_of_the_tables() -> None:
    assert (FOLDER / FILE).read_text(encoding="utf-8") == dumps(list(TABLES.values())), "run `torchtrace reasons --rule CODE --record`"


@each_rule
def test_the_examples_do_on_the_reference_what_the_rule_says(rule: Rule) -> None:
    for case, result in zip(cases([rule]), results(TABLES[REFERENCE], rule), strict=True):
        assert is_known(result), result
        assert broken(result) == claims(case), f"{case.kind} example {case.number}: {result}"


@each_rule
def test_a_rule_about_older_torch_says_what_breaks_there(rule: Rule) -> None:
    entries = [entry for table in OTHERS if (entry := current(table, rule)) is not None]
    if rule.targets or not entries:
        assert not rule.legacy_targets or not entries
        return
    for number in range(len(rule.bad)):
        assert rule.legacy_targets in [broken(entry.bad[number]) for entry in entries]


def claims(case: Case) -> frozenset[Target]:
    """What the linter claims of an example, whoever sets nothing."""
    lines = case.source.splitlines(keepends=True)
    found = find("net.py", ast.parse(case.source), lines, LintSettings())
    return frozenset(target for finding in found for target in finding.targets)


@pytest.fixture(scope="module")
def measured() -> dict[str, Outcome]:
    """What the examples of the sample do on the installed torch, by file name."""
    pytest.importorskip("torch")
    if not (installed_version() or "").startswith(REFERENCE):
        pytest.skip(f"torch {REFERENCE} is not installed")
    return {item.case.file_name: item.result for item in measure(sample(), sys.executable, 60.0)}


@pytest.mark.parametrize("case", sample(), ids=lambda case: case.file_name)
def test_a_table_is_what_is_measured(case: Case, measured: dict[str, Outcome]) -> None:
    entry = current(TABLES[REFERENCE], case.rule)
    assert entry is not None, RECORD.format(code=case.rule.code)
    assert entry.of(case.kind)[case.number - 1] == measured[case.file_name]
