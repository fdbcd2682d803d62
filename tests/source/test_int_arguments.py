"""Which arguments are Python ints: what is declared, and that torch reads the number out of a tensor there and nowhere else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flake8_torchtrace.source.knowledge import load


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("torch.zeros", [0, 3, "size"]),
        ("torch.Tensor.view", [0, 1, "size"]),
        ("torch.Tensor.new_full", [0, "size"]),
        ("torch.nn.functional.pad", [1, "pad"]),
        ("torch.linspace", [2, "steps"]),
        ("torch.narrow", [1, 3, "dim", "length"]),
        ("torch.topk", [1, "k"]),
    ],
)
def test_an_int_is_known_by_position_and_by_name(name: str, keys: list[int | str]) -> None:
    facts = load().int_arguments(name)
    assert facts is not None
    assert [key for key in keys if not facts.has(key)] == []


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("torch.zeros", ["dtype", "out"]),
        ("torch.Tensor.new_full", [1, "fill_value"]),
        ("torch.nn.functional.pad", [0, 2, 3, "value", "mode"]),
        ("torch.narrow", [0, 2, "start"]),
        ("torch.linspace", [0, 1, "start"]),
        ("torch.Tensor.repeat_interleave", [0, "repeats"]),
    ],
)
def test_what_may_be_a_tensor_is_no_int(name: str, keys: list[int | str]) -> None:
    facts = load().int_arguments(name)
    assert facts is not None
    assert [key for key in keys if facts.has(key)] == []


@pytest.mark.parametrize("name", ["torch.sin", "torch.pow", "torch.where", "torch.gone", "torch.Tensor.clamp"])
def test_functions_without_ints(name: str) -> None:
    assert load().int_arguments(name) is None


def _calls(torch: Any) -> dict[str, Callable[[Any, Any], Any]]:
    return {
        "torch.zeros": lambda x, n: torch.zeros(n),
        "torch.full": lambda x, n: torch.full((2, n), 1.0),
        "torch.linspace": lambda x, n: torch.linspace(0, 1, n),
        "torch.narrow": lambda x, n: torch.narrow(x, 0, 0, n),
        "torch.chunk": lambda x, n: torch.chunk(x, n),
        "torch.split": lambda x, n: torch.split(x, n),
        "torch.topk": lambda x, n: torch.topk(x, n),
        "torch.roll": lambda x, n: torch.roll(x, n),
        "torch.tril": lambda x, n: torch.tril(x, n),
        "torch.nn.functional.pad": lambda x, n: torch.nn.functional.pad(x, (0, n)),
        "torch.Tensor.view": lambda x, n: x.view(n, -1),
        "torch.Tensor.expand": lambda x, n: x[:1].expand(n, 4),
        "torch.Tensor.new_zeros": lambda x, n: x.new_zeros(n),
        "torch.Tensor.repeat": lambda x, n: x.repeat(n, 1),
    }


@pytest.mark.parametrize("name", list(_calls(None)))
def test_torch_takes_the_number_out_of_a_tensor(name: str) -> None:
    torch = pytest.importorskip("torch")
    call = _calls(torch)[name]
    assert name in load().int_argument_names()
    found, wanted = call(torch.ones(4, 4), torch.tensor(2)), call(torch.ones(4, 4), 2)
    assert _shapes(found) == _shapes(wanted)


def _shapes(result: Any) -> list[tuple[int, ...]]:
    return [tuple(item.shape) for item in (result if isinstance(result, tuple) else [result])]
