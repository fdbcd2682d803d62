"""Verification by another interpreter, and by two that are compared."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from unittest import mock

import pytest
from offline import offline, shown, starts, verify

from flake8_torchtrace.model import Outcome, Target
from flake8_torchtrace.verify import Pair, Session, VerifySettings, facts
from flake8_torchtrace.verify.interpreter import InterpreterError, find_interpreter, locate

NET = """
import torch

class Net:
    def __call__(self, x):
        y = x + 1  # here
        z = y + 1
        return z

def make():
    return Net(), (1,)
"""
# The interpreter named `other` has a torch that breaks on the lines 6 and 7.
OTHER_BREAKS = """
whole = run_target
def run_target(target, module, args, kwargs, is_watched):
    result = whole(target, module, args, kwargs, is_watched)
    if target != "compile" or os.path.basename(sys.executable) != "other":
        return result
    path = sys.modules[type(module).__module__].__file__
    found = [{"kind": "break", "reason": "no", "family": "value", "exception": "Unsupported",
              "stack": [{"path": os.path.realpath(path), "line": line, "function": "__call__", "column": 8, "end_column": 13}]} for line in (6, 7)]
    return {**result, "status": "broke", "observations": found}
"""


@pytest.fixture
def other(tmp_path: Path) -> str:
    path = tmp_path / "other"
    path.symlink_to(os.path.realpath(sys.executable))
    return str(path)


def outcomes(pair: Pair, path: Path) -> dict[int, tuple[Outcome, Outcome]]:
    """For ``compile``, by line: what the first said and what the second."""
    found = verify(pair, path)  # type: ignore[arg-type]
    judged = [*found.verdicts, *found.extra]
    return {
        finding.span.line: (before.targets[Target.COMPILE].outcome, verdict.targets[Target.COMPILE].outcome)
        for (finding, verdict), before in zip(judged, found.before, strict=True)
    }


def test_two_interpreters_are_asked_about_the_same(tmp_path: Path, other: str) -> None:
    path = tmp_path / "net.py"
    path.write_text(NET)
    with offline(tmp_path, tracing=OTHER_BREAKS) as own:
        second = Session(VerifySettings(own.settings.targets, timeout=10.0, python=other))
        changed = (Outcome.CONFIRMED, Outcome.DISMISSED)
        try:
            assert outcomes(Pair(second, own), path) == {6: changed, 7: changed}
            assert outcomes(Pair(own, second), path) == {6: changed[::-1], 7: changed[::-1]}
            assert [item.settings.python for item in Session.attach()] == [own.settings.python, other]
        finally:
            second.close()
        assert [item.settings.python for item in Session.attach()] == [own.settings.python]


def test_answers_of_another_interpreter_are_kept(tmp_path: Path, other: str) -> None:
    path = tmp_path / "net.py"
    path.write_text(NET)
    told = []
    for number in range(3):
        folder = tmp_path / str(number)
        folder.mkdir()
        same_code = mock.patch.object(facts, "of_code", return_value="")
        with same_code, offline(folder, python=other if number else sys.executable, store=str(tmp_path / "store"), tracing=OTHER_BREAKS) as session:
            (folder / "package" / "verify" / "facts.py").write_text(FACTS)  # the stand-in lies elsewhere in every session
            told.append((shown(verify(session, path)), len(starts(folder))))
    assert told[0] == (["[dismissed on torch 9.8.7: traced, no break]"], 1)
    assert told[1][1] == 1
    assert told[2] == (told[1][0], 0)
    assert "confirmed on torch 9.8.7: compile: no" in told[1][0][0]


FACTS = "import sys\ndef facts(package, directory):\n    return sys.executable\n"


def test_what_an_interpreter_is(tmp_path: Path, other: str) -> None:
    found = find_interpreter(other)
    assert (found.path, found.version) == (other, f"{sys.version_info.major}.{sys.version_info.minor}")
    environment = tmp_path / "environment"
    (environment / "bin").mkdir(parents=True)
    (environment / "bin" / "python").symlink_to(sys.executable)
    assert locate(str(environment)) == str(environment / "bin" / "python")
    assert locate(other) == other
    for wrong in ("no-such-python", str(tmp_path / "gone"), str(tmp_path), __file__):
        with pytest.raises(InterpreterError, match="there is no interpreter"):
            locate(wrong)
