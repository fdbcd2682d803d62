"""flake8 tells broken promises at the class, and takes what is only possible for likely where a class promises otherwise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flake8_program import flake8
from torchtrace_program import torchtrace

Write = Callable[..., Path]

# What `unknown` gives may be a tensor: only possible.
NET = """
# torchtrace: export
class Net(nn.Module):
    def forward(self, x, t):
        if t.sum() > 0:
            return x
        return x if unknown(t).any() else x + 1


class Other(nn.Module):
    def forward(self, x, t):
        return x if unknown(t).any() else x + 1


def unknown(t):
    return helper(t)


def example_inputs():
    return {"Net": (torch.ones(2), torch.ones(2)), "Other": (torch.ones(2), torch.ones(2))}
"""


@pytest.fixture
def project(write: Write, tmp_path: Path) -> Path:
    """A project with one promise."""
    write("helpers.py", "def helper(t):\n    return t.max()\n")
    write("net.py", f"from helpers import helper\n{NET}", torch=True)
    write("pyproject.toml", "")
    return tmp_path


def test_what_is_only_possible_is_told_of_a_class_that_promises(project: Path) -> None:
    found = [(item.line, item.code, item.text) for item in flake8("net.py", folder=project, isolated=False).reported]
    assert [(line, code) for line, code, _ in found] == [(8, "TTR101"), (10, "TTR101")]
    assert all(text.endswith("(`Net` promises export)") for _, _, text in found)
    (project / "net.py").write_text((project / "net.py").read_text().replace("# torchtrace: export\n", ""))
    assert flake8("net.py", folder=project, isolated=False).codes == [(7, "TTR101")]


def test_a_broken_promise_is_told_at_the_class(project: Path) -> None:
    run = flake8("net.py", "--torchtrace-verify", folder=project, isolated=False)
    (broken,) = [item for item in run.reported if item.code == "TTR910"]
    assert (broken.line, broken.column) == (6, 1)
    assert broken.text == "`Net` promises export, which is broken at net.py:8: GuardOnDataDependentSymNode"
    known = flake8("net.py", folder=project, isolated=False)
    assert [item for item in known.reported if item.code == "TTR910"] == [broken], "the store knows it"
    (project / "helpers.py").write_text("def helper(t):\n    return t.min()\n")
    assert "TTR910" not in flake8("net.py", folder=project, isolated=False).stdout, "and knows when it knows no more"


def test_what_torch_found_to_be_kept_is_not_doubted(write: Write, project: Path) -> None:
    write("helpers.py", "class Mask(list):\n    def any(self):\n        return len(self) > 1\ndef helper(t):\n    return Mask([t])\n")
    write("net.py", (project / "net.py").read_text().replace("if t.sum() > 0", "if t.shape[0] > 3"))
    assert flake8("net.py", folder=project, isolated=False).codes == [(10, "TTR101")]
    assert torchtrace("ready", folder=project).returncode == 0
    assert flake8("net.py", folder=project, isolated=False).stdout == ""


def test_promises_of_pyproject_count_here_too(write: Write, project: Path) -> None:
    write("pyproject.toml", '[tool.torchtrace.ready]\n"net.O*" = "fullgraph"\n')
    assert flake8("net.py", folder=project, isolated=False).codes == [(8, "TTR101"), (10, "TTR101"), (15, "TTR101")]
    write("pyproject.toml", "")
    assert flake8("net.py", folder=project, isolated=False).codes == [(8, "TTR101"), (10, "TTR101")]


def test_what_a_promise_is_about_is_told_whatever_the_targets(write: Write, project: Path) -> None:
    write("pyproject.toml", '[tool.torchtrace]\ntargets = ["export-nonstrict"]\n[tool.torchtrace.ready]\n"net.Other" = "fullgraph"\n')
    source = (project / "net.py").read_text().replace("x if unknown(t).any() else x + 1", "x + time.time()")
    write("net.py", source.replace("import torch", "import torch, time"))
    found = flake8("net.py", folder=project, isolated=False).reported
    assert [(item.line, item.text.rpartition("(")[2]) for item in found] == [(8, "`Net` promises export)"), (15, "`Other` promises fullgraph)")]


def test_effects_are_about_the_promise_that_none_is_lost(write: Write, tmp_path: Path) -> None:
    source = "class Net(nn.Module):  # torchtrace: no-lost-effects\n    def forward(self, x):\n        print(1)\n        return x\n"
    write("net.py", source, torch=True)
    (found,) = flake8("net.py", folder=tmp_path, isolated=False).reported
    assert found.text.endswith("(`Net` promises no-lost-effects)")


def test_mistakes(write: Write, tmp_path: Path) -> None:
    write("net.py", "class Net(nn.Module):  # torchtrace: exprt\n    def forward(self, x):\n        return x\n", torch=True)
    (found,) = flake8("net.py", folder=tmp_path, isolated=False).reported
    assert (found.line, found.code, found.text) == (3, "TTR006", "there is no promise 'exprt'; did you mean export?")
    write("pyproject.toml", '[tool.torchtrace.ready]\n"net.Net" = "exprt"\n')
    run = flake8("net.py", folder=tmp_path, isolated=False)
    assert run.status == 2
    assert run.stderr.strip().splitlines()[-1].endswith("[tool.torchtrace.ready] net.Net: there is no promise 'exprt'; did you mean export?")


def test_no_inputs_is_no_pass(write: Write, tmp_path: Path) -> None:
    write("net.py", "class Net(nn.Module):  # torchtrace: export\n    def forward(self, x):\n        return x\n", torch=True)
    assert flake8("net.py", folder=tmp_path, isolated=False).stdout == ""
    (found,) = flake8("net.py", "--torchtrace-verify", folder=tmp_path, isolated=False).reported
    assert found.code == "TTR910"
    assert found.text.startswith("`Net` promises export, which could not be checked: there are no inputs for Net (how: make()")
