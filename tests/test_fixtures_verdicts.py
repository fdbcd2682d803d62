"""Every verdict on the fixtures is what was measured on torch 2.13.0, through one run of the flake8 program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from fixtures_support import FIXTURES, Expectation, expectations, fixture_files, is_static, options
from flake8_program import Reported, flake8
from verdict_text import confirmed, outcome, torch_version

from flake8_torchtrace.model import Outcome
from flake8_torchtrace.verify import Session, VerifySettings

version = pytest.importorskip("torch").__version__.partition("+")[0]
pytestmark = pytest.mark.skipif(not version.startswith("2.13."), reason="the fixtures say what torch 2.13 does")

FOLDERS = [path.name for path in sorted(FIXTURES.iterdir()) if path.is_dir() and path.name not in ("static", "hostile")]
FILES = [path for path in fixture_files(*FOLDERS) if not is_static(path)]
UNPREDICTED = "TTR901"
# flake8 asks torch only about files in which a rule found something.
ASKED = [path for path in FILES if any(code != UNPREDICTED for _, code in expectations(path))]
NOT_ASKED = [path for path in FILES if path not in ASKED]


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
        for item in flake8("--torchtrace-verify", "--torchtrace-keep-dismissed", *chosen, *paths).reported:
            found[item.path].append(item)
    return found


@pytest.fixture(scope="session")
def session() -> Iterator[Session]:
    """Asks torch without flake8."""
    made = Session(VerifySettings(timeout=60.0))
    yield made
    made.close()


@pytest.mark.parametrize("path", ASKED, ids=_name)
def test_verdicts(path: Path, verified: Mapping[Path, list[Reported]]) -> None:
    expected = expectations(path)
    found = [item for item in verified[path] if not item.code.startswith("TTR0")]
    assert sorted((item.line, item.code) for item in found) == sorted(expected), "\n".join(map(str, found))
    for item in found:
        assert _as_expected(item, expected[item.line, item.code]), item


def _as_expected(item: Reported, expected: Expectation) -> bool:
    verdict, _ = outcome(item.text)
    if expected.targets is None:
        return verdict == Outcome.UNVERIFIED.value
    on_torch = torch_version(item.text) == version
    if not expected.targets:
        return on_torch and verdict in (Outcome.DISMISSED.value, Outcome.NOT_REACHED.value)
    return on_torch and confirmed(item.text) == expected.targets


@pytest.mark.parametrize("path", NOT_ASKED, ids=_name)
def test_a_file_without_findings_is_not_run_by_flake8(path: Path, verified: Mapping[Path, list[Reported]]) -> None:
    assert verified.get(path, []) == []


@pytest.mark.parametrize("path", NOT_ASKED, ids=_name)
def test_what_torch_does_in_files_without_findings(path: Path, session: Session) -> None:
    verification = session.verify(str(path), path.read_text(encoding="utf-8"), [])
    found = {
        (finding.span.line, finding.code): frozenset(
            target for target, judged in verdict.targets.items() if judged.outcome is Outcome.CONFIRMED
        )
        for finding, verdict in verification.extra
    }
    assert found == {key: value.targets for key, value in expectations(path).items()}


def test_the_tool_has_nothing_to_say_of_itself(verified: Mapping[Path, list[Reported]]) -> None:
    assert [item for items in verified.values() for item in items if item.code.startswith("TTR0")] == []
