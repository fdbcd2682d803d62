"""Every fixture gives exactly the findings its comments expect, through the flake8 program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixtures_support import APART, FIXTURES, expectations, options
from flake8_program import Reported, flake8

FILES = sorted(path for path in FIXTURES.rglob("*.py") if path.parent != FIXTURES and path.relative_to(FIXTURES).parts[0] not in APART - {"hostile"})
ONLY_VERIFICATION = "TTR901"


@pytest.fixture(scope="session")
def linted() -> Mapping[Path, list[Reported]]:
    """What flake8 reports for each fixture: one run for each set of options."""
    groups: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for path in FILES:
        groups[tuple(options(path))].append(path)
    found: dict[Path, list[Reported]] = defaultdict(list)
    for chosen, paths in groups.items():
        for item in flake8(*chosen, *paths).reported:
            found[item.path].append(item)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(FIXTURES)))
def test_findings(path: Path, linted: Mapping[Path, list[Reported]]) -> None:
    expected = {key: value for key, value in expectations(path).items() if key[1] != ONLY_VERIFICATION}
    found = linted.get(path, [])
    assert sorted((item.line, item.code) for item in found) == sorted(expected), "\n".join(map(str, found))
    columns = {key: expectation.column for key, expectation in expected.items() if expectation.column is not None}
    assert {key: column for key, column in _columns(found).items() if key in columns} == columns


def test_the_fixtures_are_there() -> None:
    assert {path.parent.name for path in FILES} >= {"oneliners", "founding", "cases", "clean", "static", "hostile", "verdicts"}
    assert all(path in FILES for path in (FIXTURES / "oneliners" / "item.py", FIXTURES / "static" / "crlf.py"))


def _columns(found: list[Reported]) -> dict[tuple[int, str], int]:
    return {(item.line, item.code): item.column for item in found}
