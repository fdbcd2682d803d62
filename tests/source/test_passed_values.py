"""What parameters hold whose callers say little: what the callee's annotations and code say counts more than a guess."""

from __future__ import annotations

import ast

import pytest
from linted import found

from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(
            """
            def forward(self, x, update=None):
                return self._step(x, update)

            def _step(self, x, update=None):
                if not update and self.training:
                    return x
                return x * 2
            """,
            id="flag of an optional parameter",
        ),
        pytest.param(
            """
            def forward(self, x, is_packed: bool):
                outputs = {"logits": x} if is_packed else x
                if "logits" in outputs:
                    return x * 2
                return x
            """,
            id="text in a mapping",
        ),
        pytest.param(
            """
            def forward(self, x, **kwargs):
                kwargs["mask"] = x > 0
                if kwargs.get("debug", False):
                    return x
                return x * 2
            """,
            id="flag with a default",
        ),
        pytest.param(
            """
            def forward(self, x, sizes: Tensor):
                return self._cut(x, sizes)

            def _cut(self, x, sizes: list[tuple]):
                for height, width in sizes:
                    if height > width:
                        return x
                return x * 2
            """,
            id="two annotations",
        ),
    ],
)
def test_what_is_no_tensor(body: str) -> None:
    assert found(body) == []


def test_tensor_that_is_computed_stays_one_whatever_the_annotation_says() -> None:
    body = """
    def forward(self, x):
        return self._cut(x, x.sum())

    def _cut(self, x, size: int):
        if size > 3:
            return x
        return x * 2
    """
    assert found(body, possible=False) == [("TTR101", "if size > 3:")]


def test_tensor_under_a_key_with_a_number_as_default() -> None:
    body = """
    def forward(self, x, names: list[str]):
        losses = {}
        for name in names:
            losses[name] = x.sum()
        if losses.get("aux", 0.0) > 1:
            return x
        return x * 2
    """
    assert found(body) == [("TTR101", 'if losses.get("aux", 0.0) > 1:')]


def test_small_function_that_is_called_with_everything() -> None:
    calls = "\n".join(f"        default((x,{' 1,' * number}), x)" for number in range(1, 20))
    text = f"""
import torch
from torch import nn

def default(value, other):
    return value if value is not None else other

class Net(nn.Module):
    def forward(self, x):
        x = default(x, 0)
{calls}
        count = default(x.shape[0], 1)
        if count > 2:
            return x
        return x * 2
"""
    assert find("net.py", ast.parse(text), text.splitlines(keepends=True), LintSettings(possible=True)) == []
