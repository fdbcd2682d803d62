"""dynamic_shapes in all that people write, as plain data; and every mistake with the argument it is about."""

from __future__ import annotations

from typing import Any

import pytest

from flake8_torchtrace.inputs.dims import plain_dims
from flake8_torchtrace.inputs.mistakes import InputsError

torch = pytest.importorskip("torch")


def net(x: Any, pair: Any = None, *rest: Any, extra: Any = None, **more: Any) -> None: ...


X = torch.ones(4, 6)
PAIR = (torch.ones(8), {"k": torch.ones(4, 2)})
B = {"name": "b", "min": 2, "max": 8}


def dims(given: Any, *args: Any, **kwargs: Any) -> dict[str, dict[str, Any]]:
    return plain_dims("make()", given, net, args, kwargs)


@pytest.mark.parametrize(
    "entry",
    [
        {0: torch.export.Dim("b", min=2, max=8)},
        {0: B},
        {-2: B},
        {"0": 'Dim("b", min=2, max=8)'},
        (B, None),
        [B, 6],
        {0: B, 1: "static"},
        {0: B, 1: torch.export.Dim.STATIC},
    ],
)
def test_one_dimension_in_many_words(entry: Any) -> None:
    assert dims({"x": entry}, X) == dims((entry,), X) == dims({"x": entry}, x=X) == {"0": {"0": B}}


def test_what_is_left_to_torch() -> None:
    assert dims({"x": {0: torch.export.Dim.AUTO, 1: torch.export.Dim.DYNAMIC}}, X) == dims({"x": ("auto", "dynamic")}, X)
    assert dims({"x": ("auto", "dynamic")}, X) == {"0": {"0": {"kind": "auto"}, "1": {"kind": "dynamic"}}}


def test_a_derived_dimension() -> None:
    b = torch.export.Dim("b", min=2, max=8)
    assert dims({"x": {0: b}, "pair": [{0: 2 * b}, None]}, X, PAIR)["1"] == {"0": {**B, "times": 2, "plus": 0}}


def test_a_name_alone_takes_the_range_that_was_given_with_it() -> None:
    assert dims({"x": {0: B}, "pair": [None, {"k": {0: "b"}}]}, X, PAIR)["2"] == {"0": B}


def test_a_range_alone_has_a_name_of_its_own() -> None:
    assert dims({"pair": [{0: {"max": 9}}, {"k": {1: {}}}]}, X, PAIR) == {
        "1": {"0": {"name": "pair_0_0", "max": 9}},
        "2": {"1": {"name": "pair_1_k_1", "min": None, "max": None}},
    }


def test_arguments_that_the_signature_gathers() -> None:
    other = torch.ones(5)
    assert dims({"x": None, "pair": None, "rest": ({0: "r"}, None), "late": {0: "l"}}, X, None, other, X, late=torch.ones(3)) == {
        "2": {"0": {"name": "r", "min": None, "max": None}}, "4": {"0": {"name": "l", "min": None, "max": None}},
    }  # fmt: skip


def test_a_collection_of_shapes() -> None:
    collection = torch.export.ShapesCollection()
    collection[X] = (torch.export.Dim("b", min=2, max=8), None)
    assert dims(collection, X, PAIR) == {"0": {"0": B}}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (3, " must be a dict by argument or a tuple with one entry for each, not an int"),
        ((B,), ": 1 entries for 2 arguments (x, pair)"),
        ({"y": {0: B}}, ": there is no argument 'y'; the arguments are x, pair"),
        ({"x": B | {"unit": 1}}, " of x: there is no dimension 'name' in a tensor of size [4, 6]"),
        ({"x": {2: B}}, " of x: there is no dimension 2 in a tensor of size [4, 6]"),
        ({"x": (B,)}, " of x: 1 entries for a tensor of 2 dimensions"),
        ({"x": "b"}, " of x must be a dict from dimension to Dim, not a str"),
        ({"x": {0: {"name": "b", "least": 2}}}, " of x, dimension 0: {'name': 'b', 'least': 2} must have a name, and may have min and max"),
        ({"x": {0: {"name": "b", "min": "2"}}}, " of x, dimension 0: min must be a whole number, not '2'"),
        ({"x": {0: {"name": "b", "min": 5}}}, " of x, dimension 0: the example has size 4, outside of b (min=5, max=None)"),
        ({"x": {0: {"name": "b", "min": 9, "max": 8}}}, " of x, dimension 0: b has min=9 above max=8"),
        ({"x": {0: B, 1: {"name": "b", "max": 9}}}, " of x, dimension 1: b has another range than before (min=2, max=8)"),
        ({"x": {0: "b from 4 to 8"}}, " of x, dimension 0: cannot read 'b from 4 to 8'; write a name, or 'Dim(\"b\", min=4, max=8)'"),
        ({"x": {0: 5}}, " of x, dimension 0: 5 is asked for, and the example has 4"),
        ({"x": {0: 1.5}}, " of x, dimension 0: a float is no Dim"),
        ({"pair": {0: B}}, " of pair must be a sequence of 2, as the argument is, not a dict"),
        ({"pair": [None, {"j": {0: B}}]}, " of pair[1]: there is no key 'j'; the keys are 'k'"),
        ({"pair": [None, [B]]}, " of pair[1] must be a dict, as the argument is, not a list of 1"),
    ],
)
def test_a_mistake_names_the_argument(given: Any, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        dims(given, X, PAIR)
    assert str(caught.value) == f"make(): dynamic_shapes{expected}"
