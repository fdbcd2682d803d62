"""Which sizes are data: followed from what selects by data to the questions asked of the size."""

from __future__ import annotations

import ast

import pytest

from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.project import NO_PROJECT

ROWS = "rows = x[x.sum(1) > 0]"


def lines_of(body: str) -> list[int]:
    """The lines of ``body``, counted from 1, that TTR406 names."""
    source = "import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def forward(self, x):\n"
    source += "".join(f"        {line}\n" for line in body.splitlines())
    found = find("net.py", ast.parse(source), source.splitlines(keepends=True), LintSettings(), NO_PROJECT)
    return [finding.span.line - 4 for finding in found if finding.code == "TTR406"]


@pytest.mark.parametrize(
    "question",
    ["rows.shape[0]", "rows.size(0)", "len(rows)", "rows.numel()", "rows.relu().shape[0]", "(rows * 2).shape[0] + 1", "rows[1:].size()[0]",
     "x[torch.where(x[:, 0] > 0)[0]].shape[0]", "nn.functional.linear(rows, x).shape[0]", "torch.cat([rows, x]).shape[0]",
     "torch.unique(x).numel()", "x.nonzero().squeeze(-1).shape[0]", "int(rows.shape[0])", "x.nonzero(as_tuple=True)[1].shape[0]"],
)  # fmt: skip
def test_a_branch_on_a_size_that_is_data(question: str) -> None:
    assert lines_of(f"{ROWS}\nif {question} > 3:\n    return rows\nreturn x") == [2]


@pytest.mark.parametrize(
    "question",
    ["rows.shape[1]", "rows.size(-1)", "rows.dim()", "len(rows[0])", "rows.sum(0).shape[0]", "x[:, rows[0].long()].shape[0]", "len([rows, rows])",
     "x.clone().shape[0]", "torch.where(x > 0, x, 0.0).shape[0]", "x[x.argmax()].shape[0]"],
)  # fmt: skip
def test_a_branch_on_a_size_that_is_not(question: str) -> None:
    assert lines_of(f"{ROWS}\nif {question} > 3:\n    return rows\nreturn x") == []


def test_loops_over_and_up_to_such_a_size() -> None:
    assert lines_of(f"{ROWS}\nfor row in rows:\n    x = x + row\nfor i in range(len(rows)):\n    x = x + i\nreturn x") == [2, 4]


def test_a_list_of_such_tensors_has_a_length_of_its_own() -> None:
    assert lines_of("parts = [part[part > 0] for part in (x, x)]\nfor part in parts:\n    x = x + part.sum()\nreturn x * len(parts)") == []


def test_the_first_of_unpacked_sizes() -> None:
    assert lines_of(f"{ROWS}\nn, width = rows.shape\nif width == 8:\n    return x\nreturn rows if n > 1 else x") == [5]
