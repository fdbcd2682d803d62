"""What is told of sizes that vary is what was measured on torch 2.13.0, through the flake8 program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixtures_support import expectations, fixture_files, options
from flake8_program import Reported, flake8
from verdict_text import is_as_expected

version = pytest.importorskip("torch").__version__.partition("+")[0]
pytestmark = pytest.mark.skipif(not version.startswith("2.13."), reason="the fixtures say what torch 2.13 does")

FILES = fixture_files("dynamic")


@pytest.fixture(scope="module")
def verified() -> Mapping[Path, list[Reported]]:
    groups: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for path in FILES:
        groups[tuple(options(path))].append(path)
    found: dict[Path, list[Reported]] = defaultdict(list)
    for chosen, paths in groups.items():
        for item in flake8("--torchtrace-verify", *chosen, *paths).reported:
            found[item.path].append(item)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_sizes(path: Path, verified: Mapping[Path, list[Reported]]) -> None:
    expected, found = expectations(path), verified[path]
    assert sorted((item.line, item.code) for item in found) == sorted(expected), "\n".join(map(str, found))
    for item in found:
        assert is_as_expected(item.text, expected[item.line, item.code].targets, version), item
        assert expected[item.line, item.code].column in (None, item.column), item


def test_there_is_a_fixture_for_every_code() -> None:
    told = {code for path in FILES for _, code in expectations(path)}
    assert told == {f"TTR70{number}" for number in range(1, 10)}
