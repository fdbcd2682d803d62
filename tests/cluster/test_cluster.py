"""Audits on a cluster: the outcome of a local run, whatever happens to workers and to the files' own processes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dask_cluster import Cluster, cluster
from fixtures_support import fixture_files
from torchtrace_program import refused, torchtrace

from flake8_torchtrace.cluster.scheduler import connected
from flake8_torchtrace.usage import UsageError

# Whatever would start a server fails at once.
NO_SERVER = """
import sys
import time
from flake8_torchtrace.verify import launch
def start(home): sys.exit("a server is started")
launch._start = start
from flake8_torchtrace.cli import main
sys.exit(main(sys.argv[1:]))
"""
SLOW = """
import time
import torch
from torch import nn

class Slow{number}(nn.Module):
    def forward(self, x):
        print(x)
        return x + 1

def make():
    time.sleep(1)
    return Slow{number}(), (torch.ones(1),)
"""
AUDIT = ("audit", ".", "--isolated", "--verify", "--no-project", "--format", "json")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Fixtures, and modules that take a while to build."""
    folder = tmp_path / "project"
    folder.mkdir()
    for path in fixture_files("founding")[:3]:
        shutil.copy(path, folder)
    for number in range(6):
        (folder / f"slow{number}.py").write_text(SLOW.format(number=number))
    return folder


@pytest.fixture
def two_workers(tmp_path: Path) -> Iterator[Cluster]:
    with cluster(tmp_path, 2) as found:
        yield found


def document(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode in (0, 1, 2), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_worker_is_killed_in_the_middle(project: Path, two_workers: Cluster) -> None:
    """All files are checked all the same; what torch said is in the store, so that a local run asks it nothing and says the same."""
    command = [sys.executable, "-m", "flake8_torchtrace", *AUDIT, "--cluster", two_workers.address]
    running = subprocess.Popen(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    _wait_for_an_answer(project / ".torchtrace" / "verdicts.sqlite3")
    two_workers.workers[0].kill()
    stdout, stderr = running.communicate(timeout=300)
    assert running.returncode == 1, stderr
    remote = json.loads(stdout)
    assert not remote["problems"], stderr
    assert (remote["complete"], len(remote["checked"]), remote["counts"]["confirmed"]) == (True, 9, 14)
    without_server = [sys.executable, "-c", NO_SERVER, *AUDIT]
    local = subprocess.run(without_server, cwd=project, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert document(local) == remote


def test_a_cluster_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(SLOW.format(number=1))
    with pytest.raises(UsageError, match=r"--cluster: there is no Dask scheduler at tcp://127\.0\.0\.1:9"):
        connected("tcp://127.0.0.1:9", 1)
    assert refused(torchtrace("audit", ".", "--cluster", "no address", folder=tmp_path)).startswith("--cluster: there is no Dask scheduler at no")


def _wait_for_an_answer(store: Path) -> None:
    end = time.monotonic() + 180
    while time.monotonic() < end:
        if store.exists() and b"project/" in store.read_bytes():
            return
        time.sleep(0.1)
    raise AssertionError("no answer was kept")
