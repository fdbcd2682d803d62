"""``--torchtrace-torch`` and ``--torchtrace-targets`` through the flake8 program: what does not break there is silent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from flake8_program import flake8

from flake8_torchtrace.reasons.gate import FILE, FOLDER, REFERENCE, installed_version
from flake8_torchtrace.reasons.tables import recorded

Write = Callable[..., Path]

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        print("forward")
        y = x.to_sparse().to_dense()
        if bool(x.sum()):
            y = y + 1
        return y + x.mean().item()
"""
PRINT, SPARSE, BOOL, ITEM = (7, "TTR201"), (8, "TTR602"), (9, "TTR102"), (11, "TTR103")
LOST = (7, "TTR501")
# Reads the modules that a run of flake8 loaded.
LISTING = """
import json, sys
from flake8.main.cli import main
main(["--isolated", "--select=TTR", "--jobs=1", *sys.argv[2:]])
with open(sys.argv[1], "w") as file:
    json.dump([name for name in sys.modules if name.startswith("flake8_torchtrace.reasons")], file)
"""


@pytest.fixture
def net(write: Write) -> Path:
    return write("net.py", NET.lstrip())


@pytest.mark.parametrize(
    ("torch", "targets", "expected"),
    [
        ("2.13", "", [PRINT, SPARSE, BOOL, ITEM]),
        ("2.2", "", [PRINT, BOOL, ITEM]),
        ("2.13", "fullgraph", [PRINT, SPARSE]),
        ("2.2", "fullgraph", [PRINT, BOOL, ITEM]),
        ("2.7", "fullgraph", [PRINT, BOOL, ITEM]),
        ("2.13", "export-strict", [LOST]),
        ("2.2", "export-strict", [PRINT, BOOL]),
        ("2.13", "export-nonstrict", [LOST, BOOL]),
        ("2.2", "export-nonstrict", [LOST, BOOL, ITEM]),
        ("2.13", "export-nonstrict,compile", [PRINT, SPARSE, BOOL, ITEM]),
        ("2.15", "compile", [PRINT, SPARSE, BOOL, ITEM]),
    ],
)
def test_version_and_targets(net: Path, torch: str, targets: str, expected: list[tuple[int, str]]) -> None:
    given = ["--torchtrace-targets", targets] if targets else []
    run = flake8("--torchtrace-torch", torch, *given, net.name, folder=net.parent)
    assert run.codes == expected
    assert run.status == (1 if expected else 0)


def test_the_message_says_what_breaks_there(net: Path) -> None:
    texts = {}
    for torch in ("2.2", REFERENCE):
        run = flake8("--torchtrace-torch", torch, net.name, folder=net.parent)
        texts[torch] = next(item.text for item in run.reported if item.code == "TTR201")
    assert "breaks the graph in compile, refused by fullgraph and strict export (torch 2.2.2); " in texts["2.2"]
    assert "breaks the graph in compile, refused by fullgraph; export drops it; " in texts[REFERENCE]


def test_an_effect_lost_says_so_where_it_stands(net: Path) -> None:
    (lost,) = flake8("--torchtrace-torch", REFERENCE, "--torchtrace-targets", "export-strict", net.name, folder=net.parent).reported
    assert (lost.line, lost.column, lost.code) == (7, 9, "TTR501")
    assert lost.text.startswith('`print("forward")` writes output: export accepts it and drops it')


def test_noqa_takes_the_code_that_is_reported(net: Path) -> None:
    net.write_text(NET.lstrip().replace('print("forward")', 'print("forward")  # noqa: TTR501'))
    assert flake8("--torchtrace-targets", "export-strict", net.name, folder=net.parent).codes == []
    assert (7, "TTR201") in flake8("--torchtrace-targets", "compile", net.name, folder=net.parent).codes


def test_pyproject_names_the_version_and_the_command_line_wins(net: Path, write: Write) -> None:
    write("pyproject.toml", '[tool.torchtrace]\ntorch = "2.2"\n')
    assert flake8(net.name, folder=net.parent).codes == [PRINT, BOOL, ITEM]
    assert flake8("--torchtrace-torch", "2.13", net.name, folder=net.parent).codes == [PRINT, SPARSE, BOOL, ITEM]


def test_the_config_file_of_flake8_names_the_version(net: Path, write: Write) -> None:
    write("setup.cfg", "[flake8]\ntorchtrace-torch = 2.2\n")
    assert flake8(net.name, folder=net.parent, isolated=False).codes == [PRINT, BOOL, ITEM]


def test_the_installed_torch_is_asked_about_by_itself(net: Path) -> None:
    installed = installed_version()
    if installed is None:
        pytest.skip("torch is not installed")
    assert flake8(net.name, folder=net.parent).stdout == flake8("--torchtrace-torch", installed, net.name, folder=net.parent).stdout != ""


@pytest.mark.parametrize(
    ("table", "option", "said"),
    [
        ("", ["--torchtrace-torch", "newest"], "--torchtrace-torch: 'newest' is not a version of torch, such as 2.13 or 2.13.0"),
        ('torch = "two"', [], "{file}: [tool.torchtrace] torch: 'two' is not a version of torch, such as 2.13 or 2.13.0"),
        ("torch = 2.13", [], "{file}: [tool.torchtrace] torch must be a string, not 2.13"),
    ],
)
def test_a_mistake_ends_flake8_with_one_line(net: Path, write: Write, table: str, option: list[str], said: str) -> None:
    file = write("pyproject.toml", f"[tool.torchtrace]\n{table}\n")
    run = flake8(*option, net.name, folder=net.parent)
    assert (run.status, run.stdout) == (2, "")
    assert run.stderr.splitlines()[-1] == f"flake8: error: flake8-torchtrace: {said.format(file=file)}"


@pytest.mark.parametrize(
    ("torch", "said"),
    [
        ("1.13", "torch 1.13 is older than all that were measured ({known}): what is reported holds for torch {known[0]}"),
        ("9.9", "torch 9.9 is newer than all that were measured ({known}): what is reported holds for torch {known[-1]}"),
        ("2.9.1", "torch 2.9.1 was not measured ({known}): what is reported holds for torch 2.7.1"),
        ("2.13", ""),
        ("2.13.1+cpu", ""),
    ],
)
def test_a_version_that_was_not_measured_is_told_once(net: Path, torch: str, said: str) -> None:
    known = [table.torch for table in recorded()]
    run = flake8("--torchtrace-torch", torch, net.name, net.name, folder=net.parent)
    text = said.replace("{known}", ", ".join(known)).replace("{known[0]}", known[0]).replace("{known[-1]}", known[-1])
    assert run.stderr.splitlines() == ([f"flake8-torchtrace: {text}"] if text else [])
    assert run.status == 1


def test_linting_loads_nothing_of_the_measuring_and_one_small_table(net: Path, tmp_path: Path) -> None:
    flake8(tmp_path / "modules.json", net, program=("-c", LISTING), isolated=False, select=None)
    loaded = json.loads((tmp_path / "modules.json").read_text())
    assert sorted(loaded) == ["flake8_torchtrace.reasons", "flake8_torchtrace.reasons.gate"]
    assert (FOLDER / FILE).stat().st_size < 200_000


def test_verification_shows_lost_effects_beside_its_verdicts(net: Path) -> None:
    if not (installed_version() or "").startswith(REFERENCE):
        pytest.skip(f"torch {REFERENCE} is not installed")
    net.write_text(NET.lstrip() + "\n\ndef make():\n    return Net(), (torch.ones(2, 3),), {}\n")
    run = flake8("--torchtrace-verify", "--torchtrace-targets", "export-nonstrict", net.name, folder=net.parent)
    assert [code for code in run.codes if code[1].startswith("TTR5")] == [LOST]
    assert BOOL in run.codes
    assert ITEM not in run.codes
