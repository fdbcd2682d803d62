"""The README shows what really is printed, and CI runs its test command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flake8_program import ROOT, flake8
from readme_commands import README, printed, shown

TEXT = README.read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize(("command", "output"), shown(), ids=[command for command, _ in shown()])
def test_output(command: str, output: str) -> None:
    if "--torchtrace-verify" in command and not pytest.importorskip("torch").__version__.startswith("2.13."):
        pytest.skip("the README shows torch 2.13")
    assert output == printed(command), "run python tests/readme_commands.py"
    assert output


def test_the_first_screen_shows_a_lint_and_a_verification() -> None:
    assert ["--torchtrace-verify" in command for command, _ in shown()] == [False, True]
    assert len(SHELL) == 2


def test_the_code_shown_is_that_of_the_fixtures() -> None:
    (code,) = re.findall(r"```python\n(class Centered.*?)```", TEXT, re.DOTALL)
    classes = [block.splitlines() for block in code.split("\n\n\n")]
    assert len(classes) == 2
    for block in classes:
        fixture = (ROOT / block[0].partition("# ")[2]).read_text(encoding="utf-8").splitlines()
        shown_lines = [_without_comment(line) for line in block]
        start = [_without_comment(line) for line in fixture].index(shown_lines[0])
        assert [_without_comment(line) for line in fixture[start : start + len(block)]] == shown_lines
        (marked,) = [(line, int(number)) for line, mark, number in (text.partition("# line ") for text in block) if mark]
        assert _without_comment(fixture[marked[1] - 1]) == marked[0].rstrip()


def test_the_table_of_options_is_that_of_the_program() -> None:
    known = re.findall(r"^  --torchtrace-([a-z-]+)", flake8("--help", select=None).stdout, re.MULTILINE)
    rows = dict(re.findall(r"^\| `--torchtrace-([a-z-]+)[ `].*?\| (?:`([a-z-]+)` )?\|", TEXT, re.MULTILINE))
    assert set(rows) == set(known)
    assert {option: key for option, key in rows.items() if key != option} == {"verify": "", "python": ""}


@pytest.mark.parametrize("status", [0, 3])
def test_ci_runs_the_test_command_of_the_readme(tmp_path: Path, status: int) -> None:
    """With a shell that writes down what it is told in place of running it."""
    shell = tmp_path / "bash"
    shell.write_text(f'#!/bin/sh\nprintf "%s\\n" "$4" >> "{tmp_path}/told"\npwd > "{tmp_path}/where"\nls > "{tmp_path}/files"\nexit {status}\n')
    shell.chmod(0o755)
    shutil.copy(shell, tmp_path / "chromium")  # so that it is not installed
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["/bin/bash", ROOT / ".ci" / "run"], env=environment, cwd=tmp_path, check=False)
    assert done.returncode == status
    assert (tmp_path / "told").read_text().splitlines() == [SHELL[1].strip()]
    assert {"README.md", "constraints.txt", "pyproject.toml", "tests"} <= set((tmp_path / "files").read_text().split())
    copy = Path((tmp_path / "where").read_text().strip())
    assert copy.resolve() != ROOT
    assert not copy.exists()


def test_ci_is_a_program() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def _without_comment(line: str) -> str:
    return line.partition("#")[0].rstrip()
