"""Ways to run flake8: several processes, standard input, files that do not parse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures_support import FIXTURES, fixture_files
from flake8_program import ROOT, flake8

Write = Callable[..., Path]

NET = """
class Net(nn.Module):
    def forward(self, x):
        print(x)
        return x
"""
WITH_START_METHOD = """
import multiprocessing, sys
from flake8.main.cli import main
if __name__ == "__main__":
    multiprocessing.set_start_method({method!r})
    sys.exit(main(sys.argv[1:]))
"""


def test_the_number_of_processes_changes_nothing() -> None:
    files = fixture_files("cases", "static")
    alone, together = (flake8(f"--jobs={jobs}", *files) for jobs in (1, 2))
    assert alone.stdout == together.stdout != ""
    assert (alone.status, alone.stderr) == (together.status, together.stderr) == (1, "")


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_worker_processes_that_inherit_nothing(method: str) -> None:
    files = fixture_files("oneliners", "founding")
    program = ("-c", WITH_START_METHOD.format(method=method))
    options = ("--torchtrace-targets", "export-strict", "--jobs=2")
    assert flake8(*options, *files, program=program).stdout == flake8(*options, *files).stdout != ""


def test_standard_input() -> None:
    path = FIXTURES / "cases" / "case23_early_exit.py"
    named = flake8(path.relative_to(ROOT)).stdout
    piped = flake8("-", stdin=path.read_bytes()).stdout
    assert piped == named.replace(str(path.relative_to(ROOT)), "stdin") != ""
    assert flake8("--stdin-display-name", path.relative_to(ROOT), "-", stdin=path.read_bytes()).stdout == named


def test_a_file_that_does_not_parse(write: Write) -> None:
    bad, net = write("bad.py", "def forward(:\n"), write("net.py", NET, torch=True)
    run = flake8(bad, net, select="TTR,E9")
    assert [(item.path.name, item.code) for item in run.reported] == [("bad.py", "E999"), ("net.py", "TTR201")]
    assert run.status == 1


@pytest.mark.parametrize("text", ["", "\n", "# torch\n", "import torch\n", "\ufeffimport torch\n", "import torch"])
def test_a_file_with_next_to_nothing(write: Write, text: str) -> None:
    assert flake8(write("empty.py", text)).codes == []


@pytest.mark.parametrize("ending", ["\r\n", "\n", "\r"])
def test_line_endings(write: Write, ending: str) -> None:
    path = write("net.py", "")
    path.write_bytes(("import torch\nfrom torch import nn\n" + NET).replace("\n", ending).encode())
    assert [(item.line, item.column, item.code) for item in flake8(path).reported] == [(6, 9, "TTR201")]


def test_among_other_checks(write: Write) -> None:
    path = write("net.py", "import os\nfrom torch import nn\n\n" + NET)
    assert flake8(path, select=None).codes == [(1, "F401"), (7, "TTR201")]
    assert flake8("--extend-ignore", "TTR201", path, select=None).codes == [(1, "F401")]
    assert flake8(path).status == 1
    assert flake8("--exit-zero", path).status == 0


def test_on_by_default(write: Write) -> None:
    assert (6, "TTR201") in flake8(write("net.py", NET, torch=True), select=None).codes


def test_version_names_the_plugin() -> None:
    run = flake8("--version", select=None)
    assert "flake8-torchtrace: " in run.stdout


def test_help_names_every_option_and_the_danger() -> None:
    text = " ".join(flake8("--help", select=None).stdout.split())
    for option in ("methods", "possible", "targets", "verify", "keep-dismissed", "timeout", "recipes"):
        assert f"--torchtrace-{option}" in text
    assert "RUNS THE CODE OF THE LINTED FILES" in text
