"""Audits and flake8 with torch: the same verdicts, asked once, and interrupted without loss."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fixtures_support import fixture_files
from flake8_program import flake8
from test_audit import audit, told

# Whatever would start a server fails at once.
NO_SERVER = """
import sys
from flake8_torchtrace.verify import launch
def start(home): sys.exit("a server is started")
launch._start = start
from flake8.main.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with some fixtures that have inputs."""
    for path in fixture_files("founding"):
        shutil.copy(path, tmp_path)
    return tmp_path


def test_flake8_and_audit_share_what_torch_said(project: Path) -> None:
    done = audit(project, ".", "--verify", "--no-project")
    assert done.returncode == 1
    again = flake8(".", "--torchtrace-verify", "-j", "1", folder=project, program=("-c", NO_SERVER))
    assert sorted(line.removeprefix("./") for line in again.stdout.splitlines()) == sorted(done.stdout.splitlines())
    assert "confirmed on torch" in again.stdout
    asked = flake8(".", "--torchtrace-verify", "--torchtrace-no-store", "-j", "1", folder=project, program=("-c", NO_SERVER))
    assert "a server is started" in asked.stderr


def test_what_is_confirmed_fails(project: Path) -> None:
    assert audit(project, "centered.py", "--verify", "--fail-on", "confirmed").returncode == 1
    assert audit(project, "dim_range.py", "--verify", "--fail-on", "confirmed", "--quiet").returncode == 0


def test_interrupted_and_run_again(project: Path) -> None:
    """What was done is written, what is missing is told, and the next run has it all."""
    (project / "slow.py").write_text(
        "import time, torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n        print(x)\n        return x\n"
        "def make():\n    time.sleep(30)\n    return Net(), (torch.ones(1),)\n"
    )
    command = [sys.executable, "-m", "flake8_torchtrace", "audit", "--isolated", "--verify", "-j", "2", "."]
    running = subprocess.Popen(
        command, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    store = project / ".torchtrace" / "verdicts.sqlite3"
    _wait_for(store)
    running.send_signal(signal.SIGINT)
    stdout, stderr = running.communicate(timeout=60)
    assert running.returncode == 130, stderr
    assert "torchtrace: not checked: slow.py" in stderr.splitlines()
    assert any(line.startswith("torchtrace: interrupted: ") for line in stderr.splitlines())
    kept = set(stdout.splitlines())
    (project / "slow.py").unlink()
    done = audit(project, ".", "--verify")
    assert kept <= set(done.stdout.splitlines())
    assert "interrupted" not in done.stderr
    assert told(done)[0].startswith("8 files checked on torch ")


def test_nothing_is_left_of_an_audit_that_is_killed(project: Path) -> None:
    slow = "import time, torch\ndef make():\n    time.sleep(60)\nclass Net(torch.nn.Module):\n    def forward(self, x): print(x)\n"
    (project / "slow.py").write_text(slow)
    command = [sys.executable, "-m", "flake8_torchtrace", "audit", "--isolated", "--verify", "-j", "2", "."]
    # Whoever is alive holds the error stream open.
    running = subprocess.Popen(command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    _wait_for(project / ".torchtrace" / "verdicts.sqlite3")
    running.kill()
    assert running.communicate(timeout=30)[1] == b""


def _wait_for(store: Path) -> None:
    """Until an answer is in the store."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if store.exists() and b"centered.py" in store.read_bytes():
            return
        time.sleep(0.1)
    raise AssertionError("no answer was kept")
