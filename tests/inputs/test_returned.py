"""What make() and recipes may return besides the module with its arguments."""

from __future__ import annotations

from typing import Any

import pytest

from flake8_torchtrace.inputs.mistakes import InputsError
from flake8_torchtrace.inputs.returned import read


class Net:
    def forward(self, x: Any, *rest: Any, scale: Any = None) -> None: ...

    __call__ = forward

    def encode(self, x: Any) -> None: ...


NET = Net()


def test_a_mapping_says_the_same_as_a_tuple() -> None:
    assert read("make()", {"module": NET, "args": (1,), "kwargs": {"scale": 2}}) == read("make()", (NET, (1,), {"scale": 2}))


def test_a_method_is_called_in_place_of_forward() -> None:
    built = read("make()", {"module": NET, "method": "encode", "args": (1,)})
    assert (built.module, built.name) == (NET.encode, "Net")
    assert read("make()", {"module": NET, "method": "forward", "args": ()}).module is NET


def test_sets_of_inputs_in_a_list_are_numbered() -> None:
    given = {"module": NET, "inputs": [(1,), ((2,), {"scale": 3}), {"kwargs": {"x": 4}}]}
    sets = [read("make()", given, which) for which in range(3)]
    assert [(built.args, built.kwargs) for built in sets] == [((1,), {}), ((2,), {"scale": 3}), ((), {"x": 4})]
    assert {built.sets for built in sets} == {("1", "2", "3")}


def test_sets_of_inputs_in_a_dict_have_its_names() -> None:
    built = read("make()", {"module": NET, "inputs": {"short": (1,), "long": (2,)}}, 1)
    assert (built.args, built.sets) == ((2,), ("short", "long"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"args": ()}, "recipe 'n': the mapping has no 'module'"),
        ({"module": NET, "arg": ()}, "recipe 'n': there is no key 'arg'; the keys are module, args, kwargs, dynamic_shapes, method, dtype, "),
        ({"module": NET, "method": "decode"}, "recipe 'n': Net has no method 'decode'"),
        ({"module": NET, "inputs": [(1,)], "args": (1,)}, "recipe 'n': there are both 'inputs' and 'args' or 'kwargs'"),
        ({"module": NET, "inputs": 3}, "recipe 'n': inputs must be a list or a dict of sets of inputs, not an int"),
        ({"module": NET, "inputs": []}, "recipe 'n': inputs must be a list or a dict of sets of inputs, not a list of 0"),
        ({"module": NET, "inputs": {"b": 3}}, "recipe 'n', inputs b must be args, (args, kwargs) or a dict with args and kwargs, not an int"),
        (
            {"module": NET, "inputs": [{"arguments": 3}]},
            "recipe 'n', inputs 1: there is no key 'arguments'; the keys are args, kwargs, dynamic_shapes",
        ),
        ({"module": NET, "inputs": [{"args": 3}]}, "recipe 'n', inputs 1: args must be a tuple, not an int; for one argument write (x,)"),
        ({"module": NET, "args": (), "kwargs": None}, "recipe 'n': kwargs must be a dict with string keys, not None"),
    ],
)
def test_a_mistake_names_the_recipe_and_the_argument(given: dict[str, Any], expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        read("recipe 'n'", given)
    assert str(caught.value).startswith(expected)


def test_dtype_and_device_are_those_of_module_and_inputs() -> None:
    torch = pytest.importorskip("torch")
    layer, numbers = torch.nn.Linear(2, 2), torch.arange(3)
    given = {"module": layer, "args": (torch.ones(1, 2), [numbers]), "kwargs": {"k": {"v": torch.ones(1)}}, "dtype": "float64", "device": "cpu"}
    built = read("make()", given)
    assert (layer.weight.dtype, built.args[0].dtype, built.args[1][0].dtype, built.kwargs["k"]["v"].dtype) == (
        torch.float64, torch.float64, torch.int64, torch.float64,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"dtype": "float99"}, "make(): there is no dtype 'float99'"),
        ({"device": "nowhere"}, "make(): dtype=None, device=nowhere failed: RuntimeError: "),
    ],
)
def test_a_wrong_dtype_or_device_is_told(given: dict[str, Any], expected: str) -> None:
    torch = pytest.importorskip("torch")
    with pytest.raises(InputsError) as caught:
        read("make()", {"module": torch.nn.ReLU(), "args": (torch.ones(1),), **given})
    assert str(caught.value).startswith(expected)
