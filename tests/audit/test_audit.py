"""What ``torchtrace audit`` prints and by which status it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures_support import fixture_files
from flake8_program import ROOT, flake8
from torchtrace_program import refused, torchtrace

from flake8_torchtrace.report import FORMATS

Write = Callable[..., Path]

LIKELY = """
class Net(nn.Module):
    def forward(self, x):
        print(x)
        return x
"""
POSSIBLE = """
class Net(nn.Module):
    def forward(self, x):
        return x + self.scale.item()
"""
CLEAN = """
class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""


def audit(folder: Path, *arguments: str | Path, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return torchtrace("audit", "--isolated", *arguments, folder=folder, environment=environment)


def told(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line.removeprefix("torchtrace: ") for line in done.stderr.splitlines()]


def test_the_same_lines_as_flake8(tmp_path: Path) -> None:
    files = [path.relative_to(ROOT) for path in fixture_files("founding", "constructs", "oneliners", "clean")]
    done = audit(ROOT, *files, "--no-project", "-j", "2")
    wanted = flake8(*files).stdout.splitlines()
    assert sorted(done.stdout.splitlines()) == sorted(wanted) != []


def test_findings_fail(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    done = audit(folder, ".")
    assert done.returncode == 1
    assert done.stdout.startswith("net.py:6:9: TTR201 ")
    assert told(done) == ["1 file checked: 1 likely; 1 at or above likely"]
    assert audit(folder, ".", "--quiet").stderr == ""


def test_clean_code_passes(write: Write) -> None:
    folder = write("net.py", CLEAN, torch=True).parent
    done = audit(folder, ".")
    assert (done.returncode, done.stdout) == (0, "")
    assert told(done) == ["1 file checked: no findings; 0 at or above likely"]


@pytest.mark.parametrize(("arguments", "status"), [((), 0), (("--possible",), 0), (("--fail-on", "possible"), 1)])
def test_weak_evidence_fails_where_that_is_asked_for(write: Write, arguments: tuple[str, ...], status: int) -> None:
    folder = write("net.py", POSSIBLE, torch=True).parent
    assert audit(folder, ".", *arguments).returncode == status


def test_options_go_by_their_short_and_long_names(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    for name in ("--targets", "--torchtrace-targets"):
        done = audit(folder, ".", name, "export-nonstrict")
        assert "TTR501" in done.stdout


def test_flake8_settings_count(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    write("other.py", LIKELY.replace("print(x)", "print(x)  # noqa: TTR201"), torch=True)
    write("ignored.py", "# flake8: noqa\n" + LIKELY, torch=True)
    write("excluded/net.py", LIKELY, torch=True)
    write(".flake8", "[flake8]\nexclude = excluded\nper-file-ignores = net.py:TTR2\n")
    done = torchtrace("audit", ".", folder=folder)
    assert (done.returncode, done.stdout) == (0, ""), done
    assert audit(folder, ".").stdout.splitlines()[0].startswith("excluded/net.py:6:9: TTR201")


def test_a_mistake_in_the_settings_is_one_line(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    assert refused(audit(folder, ".", "--targets", "jit")).startswith("--torchtrace-targets: there is no target 'jit'")
    assert refused(audit(folder, "nothing.py")) == "there is no file or folder nothing.py"
    assert refused(audit(folder, ".", "--recipes", "none.py")) == "--torchtrace-recipes: there is no file none.py"
    assert refused(audit(folder, ".", "--fail-on", "confirmed")).startswith("--fail-on confirmed needs --verify")
    assert refused(audit(folder, ".", "--format", "json", "--format", "text")).startswith("two --format go to the same place")
    assert refused(audit(folder, ".", "--output", "none/out")).startswith("--output: there is no folder ")
    assert refused(torchtrace("audit", ".", "--config", "none.cfg", folder=folder)).startswith("flake8: The specified config file does not exist")


def test_an_audit_of_nothing_is_no_success(write: Write) -> None:
    folder = write("notes.txt", "nothing").parent
    assert refused(audit(folder, ".")) == "nothing was checked: there is no Python file in ."
    write("plain.py", "x = 1\n")
    done = audit(folder, ".")
    assert done.returncode == 2
    assert told(done)[-1] == "nothing was checked: no file has to do with torch"


def test_a_file_that_cannot_be_checked_hides_no_other(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    write("broken.py", "import torch\ndef f(:\n")
    (folder / "binary.py").write_bytes(b"import torch\n\x00")
    (folder / "lost.py").symlink_to(folder / "nowhere.py")
    os.mkfifo(folder / "pipe.py")
    done = audit(folder, ".", "-j", "2")
    assert done.returncode == 2
    assert len(done.stdout.splitlines()) == 1
    assert [line.partition(": ")[2].rpartition(": ")[0] for line in told(done)[1:]] == [
        "binary.py:1: is not Python that Python {}.{} reads".format(*sys.version_info),
        "broken.py:2: is not Python that Python {}.{} reads".format(*sys.version_info),
        "lost.py:1: cannot be read",
        "pipe.py:1: cannot be read",
    ]


def test_several_forms_at_once(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    arguments = ["--format", "sarif", "--output", "out.sarif", "--format", "json", "--output", "out.json", "--format", "github"]
    done = audit(folder, ".", *arguments)
    assert done.returncode == 1
    assert done.stdout.startswith("::error file=net.py,line=6,")
    sarif, plain = (json.loads((folder / f"out.{ending}").read_text()) for ending in ("sarif", "json"))
    assert sarif["runs"][0]["tool"]["driver"]["rules"][0]["name"] == "Print"
    assert plain["rules"]["TTR201"]["name"] == "print"
    assert plain["findings"][0]["function"] == "Net.forward"


def test_calls_are_followed_into_other_files(write: Write) -> None:
    calls = "from helper import shout\nclass Net(nn.Module):\n    def forward(self, x):\n        return shout(x)\n"
    folder = write("net.py", calls, torch=True).parent
    write("helper.py", "def shout(x):\n    print(x)\n    return x\n")
    done = audit(folder, ".")
    assert done.stdout.startswith("helper.py:2:5: TTR201 ")
    assert "(Net.forward (net.py) -> shout)" in done.stdout
    assert audit(folder, ".", "--no-project").stdout == ""


def test_no_progress_without_a_terminal(write: Write) -> None:
    folder = write("net.py", CLEAN, torch=True).parent
    assert "\r" not in audit(folder, ".").stderr


def test_what_one_file_says_twice_is_checked_once(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    assert len(audit(folder, ".", "net.py", folder / "net.py").stdout.splitlines()) == 1


def test_a_file_whose_check_kills_its_process_is_named(write: Write) -> None:
    """Not checked is the one file; all others are."""
    folder = write("deadly.py", CLEAN, torch=True).parent
    for number in range(6):
        write(f"net{number}.py", LIKELY, torch=True)
    code = (
        "import os, sys\nfrom flake8_torchtrace.audit import check\nown = check.Checker._check\n"
        "def dying(self, path):\n    if 'deadly' in path: os._exit(9)\n    return own(self, path)\n"
        "check.Checker._check = dying\nfrom flake8_torchtrace.cli import main\nsys.exit(main(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", code, "audit", "--isolated", "--no-project", "-j", "2", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 2
    assert told(done)[1:] == ["not checked: deadly.py:1: the process that checked this file died"]
    assert len(done.stdout.splitlines()) == 6


def test_the_audited_folder_is_left_as_it_is(write: Write) -> None:
    """What is kept lies where the audit runs: the same index serves the next run, and another folder has one of its own."""
    folder = write("here/audited/net.py", LIKELY, torch=True).parent
    write("here/other/net.py", LIKELY, torch=True)
    here = folder.parent
    for _ in range(2):
        assert audit(here, "audited").returncode == 1
    assert audit(here, "other").returncode == 1
    assert [path.name for path in folder.iterdir()] == ["net.py"]
    assert len(list((here / ".torchtrace").glob("tree-*.sqlite3"))) == 2


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes any bytes for a name")
def test_a_name_that_is_no_text(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    for name in (b"\xe9.py", b"\xe9/other.py"):
        path = folder / os.fsdecode(name)
        path.parent.mkdir(exist_ok=True)
        path.write_text((folder / "net.py").read_text())
    done = audit(folder, ".", "-j", "1")
    assert done.returncode == 1
    assert told(done) == ["3 files checked: 3 likely; 3 at or above likely"]
    assert len(done.stdout.splitlines()) == 3
    assert audit(folder, ".", "--baseline", "known", "--update-baseline").returncode == 0
    assert audit(folder, ".", "--baseline", "known").returncode == 0


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux takes any bytes for a name")
@pytest.mark.parametrize("form", list(FORMATS))
def test_a_name_that_is_no_text_can_be_written(write: Write, form: str) -> None:
    if form == "html":
        pytest.importorskip("jinja2")
    path = write("net.py", LIKELY, torch=True)
    path.rename(path.parent / os.fsdecode(b"\xe9.py"))
    done = audit(path.parent, ".", "--format", form, "--output", "report", "--quiet")
    assert (done.returncode, done.stderr) == (1, "")
    assert "TTR201" in (path.parent / "report").read_text(encoding="utf-8")
