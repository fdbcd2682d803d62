"""``--changed-only``: what git says was changed, and what rests on it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from test_audit import CLEAN, LIKELY, audit
from torchtrace_program import refused

from flake8_torchtrace.audit.importers import importers

Write = Callable[..., Path]


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(write: Write) -> Path:
    """Three files with a finding each, committed."""
    for name in ("one.py", "folder/two.py", "three.py"):
        folder = write(name, LIKELY, torch=True)
    folder = folder.parent
    git(folder, "init")
    git(folder, "add", ".")
    git(folder, "commit", "-m", "first")
    return folder


def checked(folder: Path, *arguments: str) -> list[str]:
    done = audit(folder, ".", "--changed-only", *arguments)
    return [line.partition(":")[0] for line in done.stdout.splitlines()]


def test_nothing_changed(project: Path) -> None:
    done = audit(project, ".", "--changed-only", "--format", "json")
    assert (done.returncode, done.stderr) == (0, "torchtrace: nothing to check: none of 3 files was changed since the last commit\n")
    document = json.loads(done.stdout)
    assert (document["complete"], document["checked"], document["findings"]) == (True, [], [])


def test_changed_added_and_renamed_files(project: Path, write: Write) -> None:
    write("folder/two.py", LIKELY + "\n# changed\n", torch=True)
    write("new with blank.py", LIKELY, torch=True)
    git(project, "mv", "three.py", "3.py")
    assert checked(project) == ["3.py", "folder/two.py", "new with blank.py"]


def test_since_a_branch_was_left(project: Path, write: Write) -> None:
    git(project, "checkout", "-b", "topic")
    write("one.py", LIKELY + "\n# changed\n", torch=True)
    git(project, "commit", "-am", "second")
    git(project, "checkout", "main")
    write("three.py", LIKELY + "\n# changed\n", torch=True)
    git(project, "commit", "-am", "third")
    git(project, "checkout", "topic")
    assert checked(project, "--base", "main") == ["one.py"]


def test_files_that_import_what_changed(project: Path, write: Write) -> None:
    write("helper.py", "def help(x):\n    return x\n")
    write("between.py", "from helper import help\n")
    write("folder/__init__.py", "")
    write("folder/user.py", "import torch, between\n" + LIKELY, torch=True)
    git(project, "add", ".")
    git(project, "commit", "-m", "helper")
    write("helper.py", "def help(x):\n    return x + 1\n")
    assert checked(project) == ["folder/user.py"]


@pytest.mark.parametrize(
    "line",
    [
        "import pkg.deep.helper", "import os, pkg.deep.helper as h", "from pkg.deep.helper import f", "from pkg.deep import helper",
        "from pkg.deep import (\n    other,\n    helper as h,\n)", "from . import helper", "from .helper import f", "from ..deep import helper",
        "    from ..deep.helper import f",
    ],
)  # fmt: skip
def test_imports_that_are_seen(write: Write, line: str) -> None:
    helper = write("pkg/deep/helper.py", "")
    for name in ("pkg/__init__.py", "pkg/deep/__init__.py"):
        write(name, "")
    user = write("pkg/deep/user.py", f"if True:\n{line}\n" if line.startswith(" ") else f"{line}\n")
    write("pkg/deep/not_user.py", "from . import other\n# from . import helper\n")
    files = {str(path) for path in helper.parent.parent.rglob("*.py")}
    assert importers({str(helper)}, files) == {str(user)}


def test_outside_of_git(write: Write) -> None:
    folder = write("net.py", CLEAN, torch=True).parent
    assert refused(audit(folder, ".", "--changed-only")).startswith("--changed-only: git rev-parse: fatal: not a git repository")
    assert refused(audit(folder, ".", "--base", "main")) == "--base goes with --changed-only"


def test_a_base_that_is_not_there(project: Path) -> None:
    assert refused(audit(project, ".", "--changed-only", "--base", "none")).startswith("--changed-only: git merge-base: fatal: ")
