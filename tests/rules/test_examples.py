"""The examples of every rule: the bad ones are flagged and break on the installed torch, the good ones are and do neither."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from example_files import Case, cases, claims, findings, probe

from flake8_torchtrace.model import ALL_TARGETS, Outcome, Target, Verdict
from flake8_torchtrace.verify import Session, VerifySettings, render

BAD, GOOD = cases("bad"), cases("good")
bad = pytest.mark.parametrize("case", BAD, ids=lambda case: case.name)
good = pytest.mark.parametrize("case", GOOD, ids=lambda case: case.name)


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    """One server with the installed torch for all examples."""
    pytest.importorskip("torch")
    made = Session(VerifySettings(timeout=60.0))
    yield made
    made.close()


def broken(verdict: Verdict) -> frozenset[Target]:
    return frozenset(target for target, judged in verdict.targets.items() if judged.outcome is Outcome.CONFIRMED)


def refused_somewhere(verdict: Verdict) -> frozenset[Target]:
    """Targets that refuse what forward returns, when torch names no line of it."""
    return frozenset(target for target, judged in verdict.targets.items() if judged.detail.startswith("refused without naming a line"))


@bad
def test_a_bad_example_is_flagged(case: Case, tmp_path: Path) -> None:
    path = case.write(tmp_path)
    assert {finding.code for finding in findings(path)} == ({case.rule.code, *case.example.beside} if case.rule.targets else set())
    assert claims(case, path)


@good
def test_a_good_example_is_not(case: Case, tmp_path: Path) -> None:
    assert findings(case.write(tmp_path)) == []


@bad
def test_a_bad_example_breaks(case: Case, tmp_path: Path, session: Session) -> None:
    path = case.write(tmp_path)
    found = claims(case, path)
    verification = session.verify(str(path), path.read_text(encoding="utf-8"), found)
    assert verification.verdicts
    is_reference = verification.torch.startswith("2.13.")
    if case.rule.targets or not is_reference:
        for finding, verdict in verification.verdicts:
            assert (broken(verdict) | refused_somewhere(verdict)) & finding.targets, verdict
    if is_reference:
        claimed = {target for finding in found for target in finding.targets if case.rule.targets}
        seen = {target for _, verdict in verification.verdicts for target in broken(verdict) | refused_somewhere(verdict)}
        assert seen == claimed, [render(verdict) for _, verdict in verification.verdicts]


@good
def test_a_good_example_does_not(case: Case, tmp_path: Path, session: Session) -> None:
    path = case.write(tmp_path)
    verification = session.verify(str(path), path.read_text(encoding="utf-8"), [probe(path)])
    ((_, verdict),) = verification.verdicts
    assert {target: judged.outcome for target, judged in verdict.targets.items()} == dict.fromkeys(ALL_TARGETS, Outcome.DISMISSED)
    assert (verification.extra, verification.notes) == ((), ())
