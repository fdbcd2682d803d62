"""Our own code under the tools that everybody uses."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from flake8_program import ROOT

CODE = ["benchmarks", "flake8_torchtrace", "rules", "scripts", "tests"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_ruff() -> None:
    done = run("ruff", "check", "--no-cache", "--output-format=concise", *CODE)
    assert done.returncode == 0, done.stdout + done.stderr


# mypy takes all conftest.py for one module, so those further down are checked by themselves.
CONFTESTS = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").glob("*/**/conftest.py")]


@pytest.mark.parametrize("paths", [CODE, *([path] for path in CONFTESTS)], ids=lambda paths: paths[-1])
def test_mypy(paths: list[str]) -> None:
    left_out = [f"--exclude={re.escape(path)}$" for path in CONFTESTS]
    done = run("mypy", "--strict", *left_out, *paths)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_names_a_place_of_one_machine() -> None:
    texts = [path for name in (*CODE, "fixtures") for path in (ROOT / name).rglob("*.py")]
    texts += list((ROOT / "docs").rglob("*.*"))
    texts += [path for path in ROOT.iterdir() if path.suffix in (".md", ".toml", ".txt", ".yaml")]
    machine = re.compile(r"(?<![A-Za-z.])/(?:home|root|Users)/[a-z]")
    assert [str(path) for path in texts if machine.search(path.read_text(encoding="latin-1"))] == []
