"""The tables of what each torch made of the fixtures are whole, and that of 2.13.0 says what the fixtures say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fixtures_support import FIXTURES, expectations, fixture_files, folders_to_run, is_static

RECORDED = sorted((FIXTURES / "recorded").glob("torch-*.json"))
FILES = [path for path in fixture_files(*folders_to_run()) if not is_static(path)]
HOW = "make the tables again with scripts/record_verdicts.py"


def version(path: Path) -> str:
    return path.stem.removeprefix("torch-")


def test_the_supported_versions_are_recorded() -> None:
    assert {version(path).rpartition(".")[0] for path in RECORDED} == {"2.2", "2.7", "2.13", "2.15"}


@pytest.mark.parametrize("path", RECORDED, ids=version)
def test_every_fixture_is_in_the_table(path: Path) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    assert set(table) == {file.relative_to(FIXTURES).as_posix() for file in FILES}, HOW
    for file in FILES:
        lines = file.read_text(encoding="utf-8").splitlines()
        for key in table[file.relative_to(FIXTURES).as_posix()]:
            line = int(key.partition(":")[0])
            assert lines[line - 1].strip(), f"{file}:{line} is empty: {HOW}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_table_of_the_main_version_says_what_the_fixtures_say(file: Path) -> None:
    table = json.loads((FIXTURES / "recorded" / "torch-2.13.0.json").read_text(encoding="utf-8"))
    confirmed: dict[tuple[int, str], set[str]] = {}
    for key, told in table[file.relative_to(FIXTURES).as_posix()].items():
        place, code = key.split()
        targets = {target for target, verdict in told.items() if verdict.startswith("confirmed")}
        confirmed.setdefault((int(place.partition(":")[0]), code), set()).update(targets)
    for key, expected in expectations(file).items():
        assert confirmed[key] == {target.value for target in expected.targets or ()}, f"{file}:{key[0]}: {HOW}"
