"""Every verdict on the fixtures is what was measured on torch 2.13.0, through one run of the flake8 program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixtures_support import FIXTURES, expectations, fixture_files, folders_to_run, is_static, options
from flake8_program import Reported, flake8
from verdict_text import is_as_expected

version = pytest.importorskip("torch").__version__.partition("+")[0]
pytestmark = pytest.mark.skipif(not version.startswith("2.13."), reason="the fixtures say what torch 2.13 does")

FILES = [path for path in fixture_files(*folders_to_run()) if not is_static(path)]


def _name(path: Path) -> str:
    return str(path.relative_to(FIXTURES))


@pytest.fixture(scope="session")
def verified() -> Mapping[Path, list[Reported]]:
    """What flake8 reports for each fixture under verification: one run for each set of options."""
    groups: dict[tuple[str, ...], list[Path]] = defaultdict(list)
    for path in FILES:
        groups[tuple(options(path))].append(path)
    found: dict[Path, list[Reported]] = defaultdict(list)
    for chosen, paths in groups.items():
        for item in flake8("--torchtrace-verify", "--torchtrace-no-replay", "--torchtrace-keep-dismissed", *chosen, *paths).reported:
            found[item.path].append(item)
    return found


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_verdicts(path: Path, verified: Mapping[Path, list[Reported]]) -> None:
    expected = expectations(path)
    found = [item for item in verified[path] if not item.code.startswith("TTR0")]
    assert sorted((item.line, item.code) for item in found) == sorted(expected), "\n".join(map(str, found))
    for item in found:
        assert is_as_expected(item.text, expected[item.line, item.code].targets, version), item


def test_the_tool_has_nothing_to_say_of_itself(verified: Mapping[Path, list[Reported]]) -> None:
    assert [item for items in verified.values() for item in items if item.code.startswith("TTR0")] == []
