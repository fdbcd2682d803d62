"""``pytest --torchtrace-ready`` makes each promise a test."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Write = Callable[..., Path]

NET = """
class Net(nn.Module):  # torchtrace: fullgraph, export
    def forward(self, x):
        print(x.shape)
        return x


def example_inputs():
    return (torch.ones(2),)
"""


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in ``folder``, with the plugin that is installed and no other."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    program = [sys.executable, "-m", "pytest", "-p", "flake8_torchtrace.pytest_plugin", "-q", "-p", "no:cacheprovider"]
    return subprocess.run([*program, *arguments], cwd=folder, capture_output=True, text=True, check=False, env=environment)


def test_each_promise_is_a_test(write: Write, tmp_path: Path) -> None:
    write("net.py", NET, torch=True)
    write("test_own.py", "def test_own():\n    pass\n")
    run = pytest_in(tmp_path, "--torchtrace-ready", "--junit-xml=junit.xml")
    assert run.returncode == 1
    lines = run.stdout.splitlines()
    assert "net.py:6:9: TTR910 net.Net promises fullgraph: Failed to trace builtin operator (GB0059)" in lines
    assert any(line.startswith("FAILED torchtrace-ready::net.Net::fullgraph") for line in lines)
    assert lines[-1].startswith("1 failed, 2 passed")
    assert "Traceback" not in run.stdout
    report = (tmp_path / "junit.xml").read_text()
    assert 'classname="torchtrace-ready.net.Net" name="fullgraph"' in report
    only = pytest_in(tmp_path, "--torchtrace-ready", "-m", "torchtrace_ready", "-k", "export")
    assert (only.returncode, only.stdout.splitlines()[-1].split(" in ")[0]) == (0, "1 passed, 2 deselected")


def test_a_mistake_is_one_line(write: Write, tmp_path: Path) -> None:
    write("net.py", NET.replace("fullgraph", "fullgraf"), torch=True)
    run = pytest_in(tmp_path, "--torchtrace-ready")
    assert (run.returncode, run.stdout) == (4, "")
    assert run.stderr.strip() == "ERROR: --torchtrace-ready: net.py:4: there is no promise 'fullgraf'; did you mean fullgraph?"
    assert pytest_in(tmp_path).returncode == 5
