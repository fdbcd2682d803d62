"""Modules and arguments from functions of the file, and every wrong shape in words."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_torchtrace.inputs.build import build_from_examples, build_from_make, example_classes
from flake8_torchtrace.inputs.mistakes import InputsError

HEAD = """\
import random
class Net:
    def forward(self, *args, **kwargs): ...
    __call__ = forward
class Wide(Net):
    def __init__(self, width): ...
class Config:
    pass
"""


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Imports of one test leave nothing for the next."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("net", None)


def net(tmp_path: Path, body: str, function: str = "make") -> str:
    path = tmp_path / "net.py"
    path.write_text(f"{HEAD}def {function}():\n    {body}\n")
    return str(path)


@pytest.mark.parametrize(
    ("body", "name", "args", "kwargs"),
    [
        ("return Net(), (1, 2), {'mask': 3}", "Net", (1, 2), {"mask": 3}),
        ("return Net(), (1,)", "Net", (1,), {}),
        ("return Net(), [1], {}", "Net", (1,), {}),
        ("return Net(), ()", "Net", (), {}),
        ("return len, ([],)", "len", ([],), {}),
    ],
)
def test_make(tmp_path: Path, body: str, name: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    built = build_from_make(net(tmp_path, body))
    assert (built.name, built.args, built.kwargs) == (name, args, kwargs)


WHAT = "make() in net.py"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("pass", f"{WHAT} must return (module, args, kwargs) or (module, args), not None"),
        ("return Net()", f"{WHAT} must return (module, args, kwargs) or (module, args), not a Net"),
        (
            "return Net(), 1, {}, 2, 3",
            f"{WHAT} must return (module, args, kwargs) or (module, args), not a tuple of 5",
        ),
        ("return 'Net', ()", f"{WHAT}: the module must be an nn.Module or another callable, not a str"),
        ("return Net, ()", f"{WHAT}: the module must be an instance, not the class Net"),
        ("return Net(), 1", f"{WHAT}: args must be a tuple, not an int; for one argument write (x,)"),
        ("return Net(), (1,), None", f"{WHAT}: kwargs must be a dict with string keys, not None"),
        ("return Net(), (1,), [1]", f"{WHAT}: kwargs must be a dict with string keys, not a list of 1"),
        ("return Net(), (1,), {1: 2}", f"{WHAT}: kwargs must be a dict with string keys, not a dict"),
        ("return Net().missing", f"{WHAT} failed: AttributeError: 'Net' object has no attribute 'missing' (net.py:10)"),
        ("raise SystemExit", f"{WHAT} failed: sys.exit(None) (net.py:10)"),
        ("import json; json.loads('')", f"{WHAT} failed: JSONDecodeError"),
    ],
)
def test_wrong_make(tmp_path: Path, body: str, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        build_from_make(net(tmp_path, body))
    text = str(caught.value).replace("json.decoder.", "")
    assert text == expected or text.startswith(f"{expected}: ")


def test_the_same_random_numbers_every_time(tmp_path: Path) -> None:
    path = net(tmp_path, "return Net(), (random.random(),)")
    first = build_from_make(path).args
    random.random()
    assert build_from_make(path).args == first


@pytest.mark.parametrize(
    ("body", "args", "kwargs"),
    [
        ("return (1, 2)", (1, 2), {}),
        ("return (1, 2), {'mask': 3}", (1, 2), {"mask": 3}),
        ("return 1, {'mask': 3}", (1, {"mask": 3}), {}),
        ("return {'Net': ((1,), {'mask': 3})}", (1,), {"mask": 3}),
        ("return {'Net': (1,)}", (1,), {}),
    ],
)
def test_examples(tmp_path: Path, body: str, args: tuple[object, ...], kwargs: dict[str, object]) -> None:
    path = net(tmp_path, body, "example_inputs")
    assert example_classes(path, ["Net"]) == (["Net"], [])
    built = build_from_examples(path, "Net")
    assert (built.name, built.args, built.kwargs) == ("Net", args, kwargs)


@pytest.mark.parametrize(
    ("body", "owners", "expected"),
    [
        ("return {'Wide': (1,), 'Net': (2,)}", [], ["Wide", "Net"]),
        ("return (1,)", ["Wide", "Net", "Other"], ["Net", "Wide"]),
        ("return (1,)", ["Wide"], ["Wide"]),
    ],
)
def test_classes_served_by_examples(tmp_path: Path, body: str, owners: list[str], expected: list[str]) -> None:
    assert example_classes(net(tmp_path, body, "example_inputs"), owners) == (expected, [])


@pytest.mark.parametrize("key", ["'Nett'", "Net"])
def test_a_wrong_name_does_not_keep_other_classes_from_being_served(tmp_path: Path, key: str) -> None:
    names, (mistake,) = example_classes(net(tmp_path, f"return {{{key}: (1,), 'Wide': (1,)}}", "example_inputs"), [])
    assert names == ["Wide"]
    assert mistake.startswith("example_inputs() in net.py: there is no class ")


WHICH = "example_inputs() in net.py"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "return (1,)",
            f"{WHICH}: cannot tell which class these are for; return {{class name: (args, kwargs)}}",
        ),
        ("return {}['x']", f"{WHICH} failed: KeyError: 'x' (net.py:10)"),
    ],
)
def test_wrong_examples(tmp_path: Path, body: str, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        example_classes(net(tmp_path, body, "example_inputs"), [])
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    ("body", "name", "expected"),
    [
        ("return 5", "Net", f"{WHICH} for Net: args must be a tuple, not an int; for one argument write (x,)"),
        ("return (1,)", "Config", f"{WHICH}: Config is not a module: its instances cannot be called"),
        (
            "return (1,)",
            "Wide",
            f"{WHICH}: Wide() without arguments failed: TypeError: Wide.__init__() missing 1 required positional argument: 'width'",
        ),
    ],
)
def test_examples_that_do_not_fit(tmp_path: Path, body: str, name: str, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        build_from_examples(net(tmp_path, body, "example_inputs"), name)
    assert str(caught.value) == expected


def test_a_function_that_the_import_takes_away(tmp_path: Path) -> None:
    path = net(tmp_path, "pass\ndel make")
    with pytest.raises(InputsError, match=r"net\.py has no function make\(\) once it is imported"):
        build_from_make(path)
