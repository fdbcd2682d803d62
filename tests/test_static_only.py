"""Linting costs no libcst but for what stands in an f-string on older Python, and never torch."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures_support import fixture_files
from flake8_program import flake8

Write = Callable[..., Path]

# Runs flake8 in this process and writes the modules that came with it where the first argument says.
LISTING = """
import json, sys
from flake8.main.cli import main
status = main(["--isolated", "--select=TTR", "--jobs=1", *sys.argv[2:]])
with open(sys.argv[1], "w") as file:
    json.dump(sorted(sys.modules), file)
sys.exit(status)
"""
HEAVY = {"libcst", "torch", "numpy"}
# The door, and what it asks of every run and of every file.
LIGHT = {"", ".run", ".plugin", ".pyproject", ".source", ".source.gate"}
NO_TORCH = "import sys\nsys.modules['torch'] = None\n"

NOTHING_TO_REPORT = {
    "no torch": "def forward(self, x):\n    print(x)\n",
    "no entry point": "import torch\n\n\nclass Net(torch.nn.Linear):\n    def go(self, x):\n        return x\n",
    "nothing suspect": "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n",
}
FINDINGS = """import torch


class Net(torch.nn.Module):
    def forward(self, x):
        print(x)
        if x.sum() > 0:
            x = x[x > 0]
        return torch.zeros(x.max(), 2)
"""
IN_A_STRING = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return f'{x.item()}'\n"


def modules(folder: Path, *arguments: str | Path) -> tuple[set[str], list[tuple[int, str]]]:
    """What was imported by a flake8 run, and what it reported."""
    listing = folder / "modules.json"
    run = flake8(listing, *arguments, program=("-c", LISTING), isolated=False, select=None)
    return set(json.loads(listing.read_text())), run.codes


def heavy_modules(folder: Path, *arguments: str | Path) -> tuple[list[str], list[tuple[int, str]]]:
    """The same, of the modules only those that cost much."""
    names, codes = modules(folder, *arguments)
    return sorted({name.partition(".")[0] for name in names} & HEAVY), codes


def own_modules(names: set[str]) -> set[str]:
    package = "flake8_torchtrace"
    return {name.removeprefix(package) for name in names if name == package or name.startswith(package + ".")}


def test_nothing_but_the_door_is_imported_where_no_file_mentions_torch(write: Write, tmp_path: Path) -> None:
    # Run in the root of this repository, whose pyproject.toml is read and says nothing.
    files = [write("net.py", NOTHING_TO_REPORT["no torch"]), write("other.py", "from numpy import *\n\n\ndef f(x):\n    return x\n")]
    names, codes = modules(tmp_path, *files)
    assert (own_modules(names), codes) == (LIGHT, [])


def test_a_file_with_torch_imports_the_engine(write: Write, tmp_path: Path) -> None:
    names, _ = modules(tmp_path, write("net.py", NOTHING_TO_REPORT["nothing suspect"]))
    assert own_modules(names) > LIGHT | {".source.engine"}


@pytest.mark.parametrize("text", NOTHING_TO_REPORT.values(), ids=NOTHING_TO_REPORT)
def test_no_libcst_where_there_is_nothing_to_report(write: Write, tmp_path: Path, text: str) -> None:
    assert heavy_modules(tmp_path, write("net.py", text)) == ([], [])


def test_nothing_heavy_for_findings(write: Write, tmp_path: Path) -> None:
    loaded, found = heavy_modules(tmp_path, write("net.py", FINDINGS))
    assert (loaded, found) == ([], [(6, "TTR201"), (7, "TTR101"), (8, "TTR402"), (9, "TTR109")])


def test_libcst_only_for_a_finding_inside_an_f_string_and_before_python_3_12(write: Write, tmp_path: Path) -> None:
    loaded, found = heavy_modules(tmp_path, write("net.py", IN_A_STRING))
    assert (loaded, found) == (["libcst"] if sys.version_info < (3, 12) else [], [(6, "TTR103")])


def test_starting_with_verification_imports_no_torch_here(write: Write, tmp_path: Path) -> None:
    assert heavy_modules(tmp_path, "--torchtrace-verify", write("net.py", NOTHING_TO_REPORT["nothing suspect"])) == ([], [])


def test_lint_without_torch(write: Write) -> None:
    hide = write("sitecustomize.py", NO_TORCH)
    files = fixture_files("oneliners", "founding", "cases")
    without = flake8(*files, environment={"PYTHONPATH": str(hide.parent)})
    assert without.stdout == flake8(*files).stdout != ""
    assert (without.status, without.stderr) == (1, "")


def test_verify_without_torch_says_so(write: Write) -> None:
    hide = write("sitecustomize.py", NO_TORCH)
    files = fixture_files("oneliners")
    run = flake8("--torchtrace-verify", *files, environment={"PYTHONPATH": str(hide.parent)})
    python = os.path.normpath(sys.executable)
    reason = f"[unverified: torch is not installed in {python}: pip install 'flake8-torchtrace[verify]']"
    static = flake8(*files)
    assert run.stdout.replace(sys.executable, python).splitlines() == [f"{line} {reason}" for line in static.stdout.splitlines()]
    assert (run.status, run.stderr) == (1, "")
