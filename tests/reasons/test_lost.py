"""Effects that export loses: the exported program of such an example does not write what the module writes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from flake8_torchtrace.explain.topics import TOPICS
from flake8_torchtrace.reasons.examples import Case, cases
from flake8_torchtrace.reasons.gate import REFERENCE, installed_version
from flake8_torchtrace.source.rules import all_rules

RULES = [rule for rule in all_rules() if rule.lost_at_export]
LOSING = [case for case in cases(RULES) if case.kind == "bad"]


@pytest.fixture(scope="module")
def replays(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each example writes, by file name: when it is called, and when its exported programs are."""
    if not (installed_version() or "").startswith(REFERENCE):
        pytest.skip(f"torch {REFERENCE} is not installed")
    folder = tmp_path_factory.mktemp("lost")
    for case in LOSING:
        (folder / case.file_name).write_text(case.source, encoding="utf-8")
    program = Path(__file__).with_name("replay.py")
    done = subprocess.run(
        [sys.executable, program, *(Path(case.file_name).stem for case in LOSING)], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {case.file_name: result for case, result in zip(LOSING, json.loads(done.stdout), strict=True)}


def test_there_are_such_rules() -> None:
    assert {"TTR201", "TTR302", "TTR303"} <= {rule.code for rule in RULES}
    assert {rule.lost_at_export for rule in RULES} <= {topic.code for topic in TOPICS}


@pytest.mark.parametrize("case", LOSING, ids=lambda case: case.file_name)
def test_the_exported_program_does_not_do_it(case: Case, replays: dict[str, dict[str, str]]) -> None:
    texts = replays[case.file_name]
    assert texts.pop("eager") != ""
    assert "export-nonstrict" in texts
    assert set(texts.values()) == {""}
