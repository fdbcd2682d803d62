"""Functions of a file that is imported already get the rewritten code, and their own back."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("torch")

from flake8_torchtrace.tracing import detour, known
from flake8_torchtrace.tracing.detour import Place
from flake8_torchtrace.tracing.swap import NoDetourHereError, swapped

SOURCE = """\
import functools

def logged(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)
    return wrapper

class Net:
    @logged
    def forward(self, x):
        return [self.helper(item) for item in x]

    def helper(self, x):
        return x + len("ab")

    pair = (lambda x: x), (lambda x: x + len("abc"))

outside = len("abcd")
"""


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    path = tmp_path / "swapped_code.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("swapped_code", path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def place(module: ModuleType, text: str) -> Place:
    line = next(at for at, row in enumerate(SOURCE.split("\n"), 1) if text in row)
    column = SOURCE.split("\n")[line - 1].index(text)
    return Place(str(module.__file__), line, column, column + len(text), False)


def test_the_code_is_swapped_for_as_long_as_asked(module: ModuleType) -> None:
    before = module.Net.helper.__code__
    net = module.Net()
    with swapped([place(module, 'len("ab")')]):
        assert net.forward([1]) == [3]
        known.freeze()
        vars(module)["len"] = lambda text: 100
        assert (net.forward([1]), detour.is_detoured()) == ([3], True)
    assert (net.forward([1]), detour.is_detoured(), known.tracing) == ([101], False, False)
    assert module.Net.helper.__code__ is before
    assert detour.NAME not in vars(module)


def test_behind_a_decorator(module: ModuleType) -> None:
    with swapped([place(module, "self.helper(item)")]):
        module.Net().forward([1, 2])
        known.freeze()
        module.Net.helper = None
        assert module.Net().forward([1, 2]) == [3, 4]


@pytest.mark.parametrize("text", ['len("abc")', 'len("abcd")'], ids=["one of two lambdas on a line", "runs only at import"])
def test_what_cannot_be_swapped_is_said(module: ModuleType, text: str) -> None:
    with pytest.raises(NoDetourHereError), swapped([place(module, text)]):
        pass
    assert not detour.is_detoured()


def test_a_file_that_is_not_imported(tmp_path: Path) -> None:
    with pytest.raises(NoDetourHereError), swapped([Place(str(tmp_path / "absent.py"), 1, 0, 1, False)]):
        pass
