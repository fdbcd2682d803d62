"""``torchtrace ready`` as people and CI use it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from torchtrace_program import refused, torchtrace

Write = Callable[..., Path]

MODEL = """
class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x
        return x + 1


# torchtrace: fullgraph
class Good(nn.Module):
    def forward(self, x):
        return x + 1


def example_inputs():
    return {"Net": (torch.ones(2),), "Good": (torch.ones(2),)}
"""
TABLE = '[tool.torchtrace.ready]\n"pkg.model.Net" = ["export", "replays"]\n"pkg.other.Alone" = "fullgraph"\n'


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a promise that is kept, one that is broken, and one that cannot be checked."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pkg").mkdir()
    head = "import torch\nfrom torch import nn\n"
    (folder / "pkg" / "__init__.py").write_text("")
    (folder / "pkg" / "model.py").write_text(head + MODEL)
    (folder / "pkg" / "other.py").write_text(f"{head}class Alone(nn.Module):\n    def forward(self, x):\n        return x\n")
    (folder / "pyproject.toml").write_text(TABLE)
    return folder


NET = "pkg/model.py:6:12: TTR910 pkg.model.Net promises export (and with it replays): GuardOnDataDependentSymNode"
ALONE = (
    "pkg/other.py:3:1: TTR910 pkg.other.Alone promises fullgraph: could not be checked: there are no inputs for Alone "
    "(how: make() or example_inputs() in pkg/other.py, or a recipe)"
)


def test_a_line_for_each_broken_promise(project: Path) -> None:
    done = torchtrace("ready", folder=project)
    assert (done.returncode, done.stdout.splitlines()) == (1, [NET, ALONE])
    assert done.stderr == "torchtrace: 4 promises of 3 classes on torch 2.13.0: 1 kept, 2 broken, 1 not to be checked\n"


def test_what_is_kept_and_told_anew_from_the_store(project: Path) -> None:
    done = torchtrace("ready", "-v", "pkg.model", folder=project)
    assert done.stdout.splitlines() == [NET, "pkg/model.py:12:1: pkg.model.Good keeps fullgraph (example_inputs() in pkg/model.py for Good)"]
    assert (done.returncode, torchtrace("ready", "pkg.model.Good", folder=project).returncode) == (1, 0)


def test_reports(project: Path) -> None:
    done = torchtrace("ready", "--format", "github", "--format", "junit", "--output", "junit.xml", "--format=json", "--output=r.json", folder=project)
    first = done.stdout.splitlines()[0]
    assert first == "::error file=pkg/model.py,line=6,endLine=6,col=12,endColumn=22,title=TTR910 promise-broken::" + NET.partition("TTR910 ")[2]
    root = ElementTree.parse(project / "junit.xml").getroot()
    cases = {(case.get("classname"), case.get("name")): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases == {
        ("pkg.model.Net", "export"): ["failure"], ("pkg.model.Net", "replays"): ["failure"],
        ("pkg.model.Good", "fullgraph"): [], ("pkg.other.Alone", "fullgraph"): ["error"],
    }  # fmt: skip
    assert [root.get(key) for key in ("tests", "failures", "errors")] == ["4", "2", "1"]
    assert [item["kept"] for item in json.loads((project / "r.json").read_text())] == [False, True, False]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ('"pkg.Nothing" = "export"', "pkg.Nothing: there is no class Nothing in pkg"),
        ('"pkg.model.Net" = "exprt"', "pkg.model.Net: there is no promise 'exprt'; did you mean export?"),
        ('"pkg.model.X*" = "export"', "pkg.model.X*: no module class has a name like this in pkg.model"),
        ('"pkg.model.Net" = {"max-breaks" = -1}', "pkg.model.Net: max-breaks must be a number of at least 0, not -1"),
    ],
)
def test_mistakes_in_the_table_are_one_line(write: Write, tmp_path: Path, table: str, why: str) -> None:
    write("pkg/__init__.py", "")
    write("pkg/model.py", MODEL)
    write("pyproject.toml", f"[tool.torchtrace.ready]\n{table}\n")
    assert refused(torchtrace("ready", folder=tmp_path)).endswith(f"pyproject.toml: [tool.torchtrace.ready] {why}")


def test_other_mistakes(write: Write, tmp_path: Path) -> None:
    assert refused(torchtrace("ready", folder=tmp_path)).startswith("nothing is promised: write [tool.torchtrace.ready]")
    write("pyproject.toml", "[tool.torchtrace]\nready = 3\n")
    assert refused(torchtrace("ready", folder=tmp_path)).endswith("[tool.torchtrace] ready must be a table, not 3")
    write("pyproject.toml", "")
    write("net.py", "# torchtrace: export\nclass Net: pass\n")
    assert refused(torchtrace("ready", "net.Other", folder=tmp_path)) == "nothing is promised of net.Other; there are promises of net.Net"
    assert refused(torchtrace("ready", "--timeout", "0", folder=tmp_path)).startswith("--timeout: the time limit must be a positive number")
    assert refused(torchtrace("ready", "--recipes", "r.py", folder=tmp_path)) == "--recipes: there is no file r.py"
