"""A baseline lets pass what it counts, wherever it went, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from test_audit import CLEAN, LIKELY, audit, told
from torchtrace_program import refused

Write = Callable[..., Path]


@pytest.fixture
def project(write: Write) -> Path:
    """A folder with one finding in ``net.py``, and a baseline that has it."""
    folder = write("net.py", LIKELY, torch=True).parent
    assert audit(folder, ".", "--baseline", "base.json", "--update-baseline").returncode == 0
    return folder


def check(folder: Path) -> tuple[int, list[str]]:
    """The status, and what is told besides the summary."""
    done = audit(folder, ".", "--baseline", "base.json")
    return done.returncode, told(done)[1:]


def test_what_it_has_passes(project: Path) -> None:
    done = audit(project, ".", "--baseline", "base.json")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 1)
    assert told(done) == ["1 file checked: 1 likely; 1 in the baseline; 0 at or above likely and new"]


def test_it_names_no_lines(project: Path) -> None:
    entry = {"file": "net.py", "code": "TTR201", "function": "Net.forward", "count": 1, "sources": ["print(x)"]}
    assert json.loads((project / "base.json").read_text()) == {"version": 1, "entries": [entry]}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# more\n\n\n" + LIKELY, "net.py"),
        (LIKELY.replace("print(x)", "print(x, 1)"), "net.py"),
        (LIKELY.replace("forward(self, x)", "forward(self, x, y=1)"), "net.py"),
        (LIKELY.replace("Net", "Renamed"), "net.py"),
        (LIKELY, "moved/other.py"),
        (LIKELY.replace("Net", "Renamed"), "moved/other.py"),
    ],
    ids=["lines", "edited", "signature", "class renamed", "file moved", "both"],
)
def test_it_survives(project: Path, write: Write, text: str, name: str) -> None:
    (project / "net.py").unlink()
    write(name, text, torch=True)
    assert check(project) == (0, [])


def test_a_function_that_moves_to_another_file(project: Path, write: Write) -> None:
    write("net.py", CLEAN.replace("Net", "Other"), torch=True)
    write("new.py", LIKELY, torch=True)
    assert check(project) == (0, [])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (LIKELY.replace("print(x)", "print(x)\n        print(x)"), "net.py"),
        (LIKELY.replace("print(x)", "print(x)\n        y = x.tolist()"), "net.py"),
        (LIKELY + LIKELY.replace("Net", "Other"), "net.py"),
        (LIKELY, "other.py"),
    ],
    ids=["same code again", "other code", "other class", "other file"],
)
def test_new_findings_fail(project: Path, write: Write, text: str, name: str) -> None:
    write(name, text, torch=True)
    done = audit(project, ".", "--baseline", "base.json", "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)["findings"]
    assert sorted((item["known"], item["fails"]) for item in found) == [(False, True), (True, False)]


def test_a_new_finding_in_place_of_a_removed_function_fails(project: Path, write: Write) -> None:
    write("net.py", LIKELY.replace("Net", "Other").replace("print(x)", "print('other', x)"), torch=True)
    status, lines = check(project)
    assert status == 1
    assert lines == ["in the baseline and not found any more (--update-baseline takes it out): net.py, Net.forward: TTR201 `print(x)`"]


def test_what_vanished_is_named_and_taken_out(project: Path, write: Write) -> None:
    write("net.py", CLEAN, torch=True)
    status, lines = check(project)
    assert (status, len(lines)) == (0, 1)
    audit(project, ".", "--baseline", "base.json", "--update-baseline")
    assert json.loads((project / "base.json").read_text())["entries"] == []
    assert check(project) == (0, [])


def test_an_audit_of_a_part_keeps_the_rest(project: Path, write: Write) -> None:
    before = (project / "base.json").read_text()
    write("other.py", CLEAN, torch=True)
    done = audit(project, "other.py", "--baseline", "base.json", "--update-baseline")
    assert told(done)[1:] == []
    assert (project / "base.json").read_text() == before


def test_paths_are_those_of_the_baseline(project: Path) -> None:
    inside = project / "inside"
    inside.mkdir()
    assert audit(inside, "..", "--baseline", "../base.json").returncode == 0


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"version": 2, "entries": []}', '{"version": 1, "entries": [{"file": 1}]}', '{"version": 1}', "\0"]
)
@pytest.mark.parametrize("update", [(), ("--update-baseline",)], ids=["read", "update"])
def test_one_that_cannot_be_read(write: Write, text: str, update: tuple[str, ...]) -> None:
    path = write("base.json", text)
    write("net.py", LIKELY, torch=True)
    assert "base.json" in refused(audit(path.parent, ".", "--baseline", "base.json", *update))
    assert path.read_text() == text


def test_one_that_is_not_there(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    assert refused(audit(folder, ".", "--baseline", "none.json")).startswith("--baseline: there is no file none.json")
    assert refused(audit(folder, ".", "--update-baseline")) == "--update-baseline needs --baseline FILE"


def test_one_that_cannot_be_written_names_the_file(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    done = audit(folder, ".", "--baseline", os.path.join("none", "base.json"), "--update-baseline")
    assert done.returncode == 2
    assert "--update-baseline: cannot write" in told(done)[-1]
