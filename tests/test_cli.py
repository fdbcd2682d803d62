"""The ``torchtrace`` command, run as a program."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from torchtrace_program import refused, torchtrace

import flake8_torchtrace
from flake8_torchtrace.explain.command import BEGIN, END
from flake8_torchtrace.explain.index import rules_table
from flake8_torchtrace.explain.page import rule_page, topic_page
from flake8_torchtrace.explain.topics import TOPICS, Topic
from flake8_torchtrace.reasons.examples import digest
from flake8_torchtrace.reasons.gate import FOLDER, REFERENCE, installed_version
from flake8_torchtrace.reasons.tables import RuleEntry, Table, dumps, file_name, read, recorded
from flake8_torchtrace.source.rules import all_rules

Write = Callable[..., Path]
PRINT = next(rule for rule in all_rules() if rule.code == "TTR201")
CODES = {**{rule.code: rule.name for rule in all_rules()}, **{topic.code: topic.name for topic in TOPICS}}
needs_torch = pytest.mark.skipif(
    not (installed_version() or "").startswith(REFERENCE), reason=f"torch {REFERENCE} is not installed"
)


@pytest.fixture
def interpreter(tmp_path: Path) -> Callable[[str], Path]:
    """A Python that sees nothing but its standard library and the folders of PYTHONPATH."""

    def make(paths: str = "") -> Path:
        path = tmp_path / "python"
        path.write_text(f'#!/bin/sh\nPYTHONPATH={shlex.quote(paths)} exec {shlex.quote(sys.executable)} -S "$@"\n')
        path.chmod(0o755)
        return path

    return make


def test_the_command_is_installed() -> None:
    (script,) = (entry for entry in metadata.entry_points(group="console_scripts") if entry.name == "torchtrace")
    assert script.value == "flake8_torchtrace.cli:main"
    assert callable(script.load())


def test_version() -> None:
    assert torchtrace("--version").stdout == f"torchtrace {flake8_torchtrace.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [[], ["unknown"], ["reasons", "--timeout", "0"], ["reasons", "--timeout", "soon"], ["reasons", "--format", "xml"]]
)
def test_wrong_usage(arguments: list[str]) -> None:
    done = torchtrace(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: torchtrace ")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("text", ["TTR201", "ttr201", "print"])
def test_explain_prints_the_page_of_a_rule(text: str) -> None:
    done = torchtrace("explain", text)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == rule_page(PRINT, recorded())


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.code)
def test_explain_prints_the_page_of_another_code(topic: Topic) -> None:
    assert torchtrace("explain", topic.code).stdout == topic_page(topic)


def test_explain_lists_all_codes() -> None:
    lines = torchtrace("explain").stdout.splitlines()
    assert {line.split()[0]: line.split()[1] for line in lines} == CODES
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("TTR200", "there is no code 'TTR200'; did you mean "),
        ("TTR801", "there is no code 'TTR801'; did you mean "),
        ("branch-on-tensors", "there is no code 'branch-on-tensors'; did you mean branch-on-tensor"),
        ("E501", "there is no code 'E501'; `torchtrace explain` lists all"),
    ],
)
def test_a_code_that_does_not_exist(text: str, answer: str) -> None:
    assert refused(torchtrace("explain", text)).startswith(answer)
    assert refused(torchtrace("reasons", "--rule", text)).startswith(answer)


def test_explain_prints_the_table() -> None:
    assert torchtrace("explain", "--table").stdout == rules_table(all_rules(), recorded())


def test_explain_puts_the_table_into_a_file(write: Write) -> None:
    path = write("page.md", f"before\n{BEGIN}\nold\n{END}\nafter\n")
    assert torchtrace("explain", "--table", path).returncode == 0
    assert path.read_text() == f"before\n{BEGIN}\n{rules_table(all_rules(), recorded())}{END}\nafter\n"


def test_files_that_explain_cannot_write(write: Write, tmp_path: Path) -> None:
    path = write("page.md", f"{BEGIN}\nno end\n")
    assert refused(torchtrace("explain", "--table", path)) == f"{path} has no lines {BEGIN} and {END}"
    assert refused(torchtrace("explain", "--table", tmp_path / "gone.md")).startswith(f"cannot write {tmp_path / 'gone.md'}: ")
    assert refused(torchtrace("explain", "--write", path)).startswith(f"cannot write {path}: ")


def test_explain_writes_all_pages_and_names_those_of_no_code(tmp_path: Path) -> None:
    (tmp_path / "TTR999.md").write_text("# TTR999")
    done = torchtrace("explain", "--write", tmp_path)
    assert done.returncode == 0
    assert f"{tmp_path / 'TTR999.md'} is the page of no code" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"README.md", "TTR999.md", *(f"{code}.md" for code in CODES)}


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    command = f"{shlex.quote(sys.executable)} -m flake8_torchtrace explain | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (done.stdout.count("\n"), done.stderr) == (1, "")


@needs_torch
def test_reasons_as_text(tmp_path: Path) -> None:
    done = torchtrace("reasons", "--rule", "TTR201", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    first, *rest = done.stdout.splitlines()
    assert first == f"torch {REFERENCE}, Python {'.'.join(map(str, sys.version_info[:2]))}, CPU"
    assert "TTR201 print" in rest
    assert "    compile                         broke: Failed to trace builtin operator (GB0059; no-handler)" in rest
    assert rest[-1].endswith(" examples of one rule: all as the rules say")
    assert list(tmp_path.iterdir()) == []


@needs_torch
def test_reasons_of_an_interpreter_that_has_torch_and_not_this_package(interpreter: Callable[[str], Path], tmp_path: Path) -> None:
    python = interpreter(sysconfig.get_path("purelib"))
    assert subprocess.run([python, "-c", "import flake8_torchtrace"], cwd=tmp_path, capture_output=True, check=False).returncode != 0
    record = tmp_path / "table.json"
    done = torchtrace("reasons", "--rule", "print", "--format", "json", "--record", record, "--python", python, folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, f"torchtrace: wrote {record}\n")
    table = read(record)
    assert json.loads(done.stdout) == json.loads(record.read_text())
    assert table.rules == {"TTR201": read(FOLDER / file_name(REFERENCE)).rules["TTR201"]}


@needs_torch
def test_recording_what_is_new_keeps_the_rest(write: Write) -> None:
    entries = {rule.code: RuleEntry(digest(rule)) for rule in all_rules()}
    stale, gone = RuleEntry("0123abcd"), RuleEntry("89ab4567")
    python = ".".join(map(str, sys.version_info[:2]))
    path = write("table.json", dumps(Table(REFERENCE, python, {**entries, "TTR201": stale, "TTR899": gone})))
    done = torchtrace("reasons", "--new", "--record", path)
    assert [line for line in done.stdout.splitlines() if line.startswith("TTR")] == ["TTR201 print"]
    assert read(path).rules == {**entries, "TTR201": read(FOLDER / file_name(REFERENCE)).rules["TTR201"]}
    assert torchtrace("reasons", "--new", "--record", path).stdout == f"the table of torch {REFERENCE} has all rules\n"


def test_reasons_without_torch(interpreter: Callable[[str], Path]) -> None:
    python = interpreter("")
    said = refused(torchtrace("reasons", "--rule", "TTR201", "--python", python))
    assert said == f"torch is not installed in {sys.executable}: pip install 'flake8-torchtrace[verify]'"


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["--python", "no/such/python"], "cannot start the interpreter no/such/python: No such file or directory"),
        (["--python", "{folder}"], "cannot start the interpreter {folder}: Permission denied"),
        (["--python", "{folder}/false"], "{folder}/false is not a Python interpreter that works"),
        (["--new"], "--new needs --record: it asks which rules the table does not have"),
        (["--record", "no/such/folder/table.json"], "--record: there is no folder no/such/folder"),
    ],
)
def test_reasons_that_cannot_be_had(tmp_path: Path, arguments: list[str], answer: str) -> None:
    (tmp_path / "false").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "false").chmod(0o755)
    given = [argument.format(folder=tmp_path) for argument in arguments]
    given = given if "--new" in given else ["--rule", "TTR201", *given]
    assert refused(torchtrace("reasons", *given)) == answer.format(folder=tmp_path)


def test_explaining_imports_no_torch(write: Write) -> None:
    hide = write("sitecustomize.py", "import sys\nsys.modules['torch'] = None\n")
    done = torchtrace("explain", "TTR101", environment={"PYTHONPATH": os.fspath(hide.parent)})
    assert (done.returncode, done.stderr) == (0, "")
