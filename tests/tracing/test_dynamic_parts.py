"""The parts of the experiments with sizes that need no trace."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
sympy = pytest.importorskip("sympy")

from flake8_torchtrace.tracing.dynamic import sizes  # noqa: E402
from flake8_torchtrace.tracing.dynamic.comparing import difference  # noqa: E402
from flake8_torchtrace.tracing.dynamic.falsifying import inside, is_false, near  # noqa: E402
from flake8_torchtrace.tracing.dynamic.leaves import call_of, resize  # noqa: E402
from flake8_torchtrace.tracing.dynamic.replaying import places  # noqa: E402

S, T = sympy.Symbol("s0", integer=True, positive=True), sympy.Symbol("s1", integer=True, positive=True)


class _Undefined(sympy.Function):  # type: ignore[misc, name-defined]
    @classmethod
    def eval(cls, number: Any) -> Any:
        if number.is_Integer:
            raise ZeroDivisionError


def test_the_nearest_size_that_a_condition_excludes() -> None:
    assert near(sympy.Ne(S, 4), {S: 5}) == (S, 4)
    assert near(sympy.Eq(sympy.Mod(S, 8), 0), {S: 16}) == (S, 17)
    assert near(S <= T, {S: 3, T: 5}) == (S, 6)
    assert near(S >= 2, {S: 5}) is None


def test_a_condition_in_a_range() -> None:
    assert inside(S <= 6, {S: (2, 8)})
    assert not inside(S <= 6, {S: (2, 6)})
    assert inside(sympy.Ne(S, 1000), {S: (2, 2000)}) is False  # not tried: a range that large is sampled
    assert not inside(T <= 6, {S: (2, 8)})


def test_a_condition_that_cannot_be_computed_is_not_known_to_be_false() -> None:
    assert not is_false(sympy.Eq(_Undefined(S), 1), {S: 3})
    assert sizes.solved({0: (_Undefined(S), 2)}, {S: 4}, {S: 3}) is None


def test_places_in_a_range() -> None:
    assert places(4, 2, None) == [("min", 2), ("inside", 8), ("inside", 5), ("below", 1)]
    assert places(4, 4, 8) == [("max", 8), ("inside", 5), ("below", 3), ("above", 9)]
    assert places(4, 1, 5) == [("min", 1), ("max", 5), ("above", 6)]


def test_a_tensor_of_another_size_has_the_numbers_of_the_given_one() -> None:
    ids = torch.tensor([[7, 3, 5]])
    assert resize(ids, (2, 5)).tolist() == [[7, 3, 5, 7, 3]] * 2
    mask = torch.tensor([0.0, float("-inf"), 1.0])
    other = resize(mask, (4,))
    assert other[:2].tolist() == [0.0, float("-inf")]
    assert other[3] == 0.0
    assert 1 <= other[2] < 1.125
    assert resize(torch.ones(0, 2), (3, 2)).tolist() == [[0.0, 0.0]] * 3
    assert resize(torch.ones(2, requires_grad=True), (3,)).requires_grad


def test_names_of_tensors() -> None:
    def function(x: Any, *rest: Any, extra: Any, **more: Any) -> None: ...

    tensor = torch.ones
    call = call_of(function, (tensor(1), tensor(2), 3), {"extra": {"k": [tensor(4), None]}, "late": tensor(5)})
    assert [(leaf.name, leaf.size) for leaf in call.leaves()] == [
        ("x", (1,)), ("rest[0]", (2,)), ("extra['k'][0]", (4,)), ("more['late']", (5,)),
    ]  # fmt: skip
    changed = call.resized({call.leaves()[2].index: (6,)})
    assert [leaf.size for leaf in changed.leaves()] == [(1,), (2,), (6,), (5,)]


@pytest.mark.parametrize(
    ("eager", "program", "expected"),
    [
        (1.0, 1.0, None),
        ({"a": torch.ones(2)}, {"a": torch.ones(2) + 1e-7}, None),
        (torch.tensor([float("nan")]), torch.tensor([float("nan")]), None),
        (torch.ones(2), torch.zeros(2), "other numbers"),
        (torch.tensor([1, 2]), torch.tensor([1, 3]), "other numbers"),
        (torch.ones(2), torch.ones(3), "a tensor of size [3] in place of [2]"),
        (torch.ones(2), torch.ones(2).double(), "torch.float64 in place of torch.float32"),
        ([torch.ones(2)], [torch.ones(2), 1], "2 values in place of 1"),
        (torch.ones(1), 1.0, "float in place of Tensor"),
        (4, 8, "8 in place of 4"),
    ],
)
def test_results_are_compared(eager: Any, program: Any, expected: str | None) -> None:
    assert difference(eager, program) == expected


def test_dimensions_that_may_have_to_go_together() -> None:
    def function(x: Any, y: Any) -> None: ...

    leaves = call_of(function, (torch.ones(4, 6), torch.ones(4, 4)), {}).leaves()
    assert list(sizes.groups(leaves, 0, 0)) == [[(0, 0)], [(0, 0), (1, 0)], [(0, 0), (1, 0), (1, 1)]]
    assert list(sizes.groups(leaves, 0, 1)) == [[(0, 1)]]
    assert sizes.others(4) == [8, 5, 3]
    assert sizes.others(1) == [2]
