"""A file whose check takes too long, too much memory, or the process with it, costs its own report and no other's."""

from __future__ import annotations

import sys

import pytest

from flake8_torchtrace.audit.check import Checked
from flake8_torchtrace.audit.settings import Settings
from flake8_torchtrace.cluster import remote
from flake8_torchtrace.cluster.job import Job, Row
from flake8_torchtrace.cluster.watch import DiedError, Helper, HelperError

# In place of the real helper: does what the path says.
STAND_IN = """
import os, pickle, subprocess, sys, time
job = pickle.load(sys.stdin.buffer)
def tell(what):
    pickle.dump(what, sys.stdout.buffer)
    sys.stdout.flush()
tell({differences!r})
while True:
    path, rows = pickle.load(sys.stdin.buffer)
    if path == "slow":
        time.sleep(600)
    if path == "greedy":
        subprocess.run([sys.executable, "-c", "kept = bytes([1]) * (300 << 20); import time; time.sleep(600)"])
    if path == "deadly":
        sys.exit("no way on")
    tell((path, rows))
"""


def helper(seconds: float = 600, mebibytes: int = 100_000, differences: str = "") -> Helper:
    job = Job(Settings(()), ".", None, seconds, mebibytes)
    return Helper(job, (sys.executable, "-c", STAND_IN.format(differences=differences)))


def refused(found: Helper, path: str) -> str:
    with pytest.raises(HelperError) as raised:
        found.check(path, [])
    return str(raised.value)


def test_within_the_limits_it_goes_on() -> None:
    found = helper()
    rows: list[Row] = [("a", "b")]
    try:
        assert [found.check(path, rows) for path in ("one", "two")] == [("one", rows), ("two", rows)]
    finally:
        found.kill()


def test_beyond_them_it_is_ended_and_told() -> None:
    assert refused(helper(seconds=0.5), "slow") == "checking it took longer than the limit of 0.5 s"
    assert refused(helper(mebibytes=200), "greedy") == "checking it took more memory than the limit of 200 MiB"
    assert refused(helper(), "deadly") == "the process that checked it died: no way on"


def test_a_worker_with_another_torch_says_so() -> None:
    with pytest.raises(HelperError, match=r"^the worker on .* has torch 1\.0 instead of 2\.0$"):
        helper(differences="torch 1.0 instead of 2.0")


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a worker starts helpers for; they die at ``deadly``, and at ``unlucky`` if they are the first."""
    started: list[str] = []

    class Mortal:
        def __init__(self, job: Job) -> None:
            started.append("")

        def check(self, path: str, rows: list[Row]) -> tuple[Checked, list[Row]]:
            if path == "deadly" or (path == "unlucky" and len(started) == 1):
                raise DiedError("it died")
            return Checked(path), rows

        def kill(self) -> None:
            """Nothing runs."""

    monkeypatch.setattr(remote, "Helper", Mortal)
    monkeypatch.setattr(remote, "_idle", [])
    return started


def test_a_helper_that_died_is_tried_again_once(worker: list[str]) -> None:
    job = Job(Settings(()), ".", None, 1, 1)
    assert remote.check(job, "unlucky", [])[0].problem is None
    assert remote.check(job, "calm", [])[0].problem is None
    assert len(worker) == 2
    assert remote.check(job, "deadly", [])[0].problem == "it died"
    assert remote.check(job, "calm", [])[0].problem is None
