"""What accepted exports lose is told at the line that did it, as measured on torch 2.13.0, through the flake8 program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest
from fixtures_support import expectations, fixture_files
from flake8_program import Reported, flake8
from verdict_text import is_as_expected

version = pytest.importorskip("torch").__version__.partition("+")[0]
pytestmark = pytest.mark.skipif(not version.startswith("2.13."), reason="the fixtures say what torch 2.13 does")

FILES = fixture_files("lost")


@pytest.fixture(scope="module")
def verified() -> Mapping[Path, list[Reported]]:
    found: dict[Path, list[Reported]] = defaultdict(list)
    for item in flake8("--torchtrace-verify", "--torchtrace-keep-dismissed", *FILES).reported:
        found[item.path].append(item)
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_losses(path: Path, verified: Mapping[Path, list[Reported]]) -> None:
    expected, found = expectations(path), verified[path]
    assert sorted((item.line, item.code) for item in found) == sorted(expected), "\n".join(map(str, found))
    for item in found:
        assert is_as_expected(item.text, expected[item.line, item.code].targets, version), item


@pytest.mark.parametrize(
    ("name", "call"),
    [("counter_used", 2), ("global_counter", 2), ("buffer_rebound", 2), ("parameter_scaled", 1), ("seeded", 1), ("type_of_tensor", 1)],
)
def test_from_which_call_on_results_differ_is_told(name: str, call: int, verified: Mapping[Path, list[Reported]]) -> None:
    (path,) = (path for path in FILES if path.stem == name)
    assert any(f"call {call} " in item.text for item in verified[path])


def test_there_is_a_fixture_for_every_code() -> None:
    told = {code for path in FILES for _, code in expectations(path) if code.startswith("TTR5")}
    assert told == {f"TTR50{number}" for number in range(1, 6)}


def test_nothing_is_told_unless_it_is_wanted() -> None:
    codes = {item.code for item in flake8("--torchtrace-verify", "--torchtrace-no-replay", *FILES[:6]).reported}
    assert not any(code.startswith("TTR50") for code in codes)
    assert codes


HELPER = """
import logging

import torch

LOG = logging.getLogger(__name__)


def check(x, seen):
    if {guard}:
        return
    LOG.warning("seen")
    seen.append(1)
"""
CALLER = """
import sys

import torch
from torch import nn

sys.path.append({folder!r})
from helper import check


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        check(x, self.seen)
        return x + 1


def make():
    return Net(), (torch.ones(2),), {{}}
"""


@pytest.mark.parametrize(("guard", "codes"), [("torch.compiler.is_compiling()", set()), ("False", {"TTR501", "TTR502"})])
def test_what_a_library_leaves_out_while_it_is_traced_is_not_lost(guard: str, codes: set[str], tmp_path: Path) -> None:
    library, project = tmp_path / "library", tmp_path / "project"
    for folder in (library, project):
        folder.mkdir()
    (library / "helper.py").write_text(HELPER.format(guard=guard))
    (project / "net.py").write_text(CALLER.format(folder=str(library)))
    found = flake8("--torchtrace-verify", "--torchtrace-targets=export-strict,export-nonstrict", "net.py", folder=project).reported
    assert {item.code for item in found} == codes
