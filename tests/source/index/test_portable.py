"""Values leave their file and come back as what they were."""

from __future__ import annotations

import ast
import json

import pytest

from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo, read_definitions
from flake8_torchtrace.source.index.portable import simplified, value_from_json, value_to_json
from flake8_torchtrace.source.values import (
    BOOL,
    INT,
    NONE,
    SIZE,
    TRUE,
    UNKNOWN,
    Class,
    Drawn,
    External,
    Func,
    Instance,
    Mapping,
    Method,
    Python,
    Ref,
    Sequence,
    Tensor,
    Union,
    Value,
)

NODE = ast.Constant(0)
MODEL = read_definitions(ast.parse("class Net:\n    class Inner: pass\n    def hook(self): pass\ndef pick(x): pass\n"), "net.py", "pkg.net", False)
NET: ClassInfo = MODEL.classes["Net"]
PICK: FunctionInfo = MODEL.functions["pick"]


def _there_and_back(value: Value) -> Value:
    data = json.loads(json.dumps(value_to_json(value, "pkg.net")))
    return value_from_json(data, lambda dotted: None, NODE)


@pytest.mark.parametrize(
    "value",
    [
        UNKNOWN,
        NONE,
        INT,
        BOOL,
        TRUE,
        Python("str", False),
        Tensor(True, "bool"),
        Tensor(True, "int", None, True),
        Tensor(False),
        SIZE,
        Sequence(INT, (INT, Tensor()), "tuple"),
        Sequence(UNKNOWN, (), "list"),
        Mapping(Tensor(), (("a", INT), ("b", Tensor()))),
        Ref("logging.getLogger"),
        External("torch.nn.Sequential", (External("torch.nn.Linear"),)),
        Union((Tensor(), NONE)),
        Method(Tensor(), "sum"),
    ],
)
def test_plain_values(value: Value) -> None:
    assert _there_and_back(value) == value


@pytest.mark.parametrize(
    ("value", "outside"),
    [
        (Class(NET), Ref("pkg.net.Net")),
        (Instance(NET), External("pkg.net.Net")),
        (Instance(NET.inner["Inner"]), External("pkg.net.Net.Inner")),
        (Func(PICK), Ref("pkg.net.pick")),
        (Func(NET.methods["hook"], Instance(NET)), Method(External("pkg.net.Net"), "hook")),
        (Func(PICK, None, None, (INT,)), UNKNOWN),
        (Sequence(Instance(NET), None, "list"), Sequence(External("pkg.net.Net"), None, "list")),
    ],
)
def test_what_belongs_to_the_file_goes_by_its_name(value: Value, outside: Value) -> None:
    assert _there_and_back(value) == outside


def test_names_of_the_receiving_file_become_its_own_classes_and_functions() -> None:
    own: dict[str, Value] = {"pkg.net.Net": Class(NET), "pkg.net.pick": Func(PICK)}
    data = [["X", "pkg.net.Net", []], ["R", "pkg.net.Net"], ["R", "pkg.net.pick"]]
    assert [value_from_json(item, own.get, NODE) for item in data] == [Instance(NET), Class(NET), Func(PICK)]


def test_tensor_by_convention_stays_one() -> None:
    arrived = _there_and_back(Tensor(True, "", None, False, True))
    assert isinstance(arrived, Tensor)
    assert arrived.by_convention


def test_number_drawn_from_a_tensor_counts_as_drawn_where_it_arrives() -> None:
    arrived = _there_and_back(Drawn(ast.Constant(1), False, "tolist"))
    assert arrived == Drawn(NODE, False, "tolist")
    assert isinstance(arrived, Drawn)
    assert arrived.node is NODE


def test_value_that_contains_itself_many_times_is_cut_off() -> None:
    value: Value = INT
    for _ in range(50):
        value = Sequence(value, (value, value), "tuple")
    length = len(json.dumps(value_to_json(value, "m")))
    assert length < 10_000


def test_simplified_keeps_what_rules_ask_for() -> None:
    data = ["U", [["T", 1, "bool", 0], ["X", "pkg.Config", []], ["R", "pkg.f"], ["P", "int", True], "N"]]
    assert simplified(data) == ["U", [["T", 1, "bool", 0], None, ["P", "int", None], "N"]]
    assert simplified(["S", ["T", 1, "", 0], [["T", 1, "", 0]], "list"]) == ["S", ["T", 1, "", 0], None, "list"]
    assert simplified(["U", [["X", "a", []], ["X", "b", []]]]) is None
