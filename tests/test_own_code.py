"""Our own code under the tools that everybody uses."""

from __future__ import annotations

import re
import subprocess
import sys

from flake8_program import ROOT

CODE = ["flake8_torchtrace", "rules", "scripts", "tests"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_ruff() -> None:
    done = run("ruff", "check", "--no-cache", "--output-format=concise", *CODE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy() -> None:
    done = run("mypy", "--strict", *CODE)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_file_names_a_place_of_one_machine() -> None:
    texts = [path for name in (*CODE, "fixtures") for path in (ROOT / name).rglob("*.py")]
    texts += [path for path in ROOT.iterdir() if path.suffix in (".md", ".toml", ".txt", ".yaml")]
    machine = re.compile(r"(?<![A-Za-z.])/(?:home|root|Users)/[a-z]")
    assert [str(path) for path in texts if machine.search(path.read_text(encoding="latin-1"))] == []
