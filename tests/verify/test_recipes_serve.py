"""Which recipes serve which file, and that each runs once."""

from __future__ import annotations

from pathlib import Path

import pytest
from offline import offline, shown, verify
from test_hostile_code import DISMISSED

BLOCK = """\
class Block:
    def __call__(self, x):
        return x + 1  # here
"""
NET = """\
from block import Block
class Net:
    def __init__(self):
        self.block = Block()
    def __call__(self, x):
        return self.block(x) * 2  # here
    def unused(self, x):
        return x  # here
"""
RECIPES = """\
import net
def make_net():
    open({log!r}, "a").write("net ")
    return net.Net(), (1,)
RECIPES = {{{key!r}: make_net}}
"""
NOT_TAKEN = "[not-reached on torch 9.8.7: these inputs did not take the code there]"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two modules, of which one uses the other, and no inputs in either."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "block.py").write_text(BLOCK)
    (tmp_path / "net.py").write_text(NET)


def write_recipes(tmp_path: Path, key: str) -> str:
    path = tmp_path / "recipes.py"
    path.write_text(RECIPES.format(log=str(tmp_path / "log"), key=key))
    return str(path)


@pytest.mark.parametrize("key", ["net.Net", "net.py:Net", "Net"])
def test_a_recipe_serves_its_file_and_those_it_passes_through(tmp_path: Path, key: str) -> None:
    with offline(tmp_path, recipes=write_recipes(tmp_path, key)) as session:
        assert shown(verify(session, tmp_path / "net.py")) == [DISMISSED, NOT_TAKEN]
        assert shown(verify(session, tmp_path / "block.py")) == [DISMISSED]
    assert (tmp_path / "log").read_text() == "net " * 3  # eager and two targets, for both files together


def test_other_recipes_are_not_run_for_a_file_whose_own_inputs_enter_its_functions(tmp_path: Path) -> None:
    (tmp_path / "block.py").write_text(BLOCK + "def make():\n    return Block(), (1,)\n")
    with offline(tmp_path, recipes=write_recipes(tmp_path, "net.Net")) as session:
        assert shown(verify(session, tmp_path / "block.py")) == [DISMISSED]
    assert not (tmp_path / "log").exists()


def test_a_class_of_the_same_name_elsewhere(tmp_path: Path) -> None:
    """A plain class name may mean either file: only the one that the module comes from is served."""
    other = tmp_path / "other.py"
    with offline(tmp_path, recipes=write_recipes(tmp_path, "Net")) as session:
        found = verify(session, other, "class Net:\n    def __call__(self, x):\n        return x  # here\n")
        assert shown(found)[0].startswith("[unverified: no inputs for Net")
        assert shown(verify(session, tmp_path / "net.py"))[0] == DISMISSED


@pytest.mark.parametrize("key", ["net.Nett", "net.py:Nett"])
def test_a_recipe_for_a_class_that_is_not_there(tmp_path: Path, key: str) -> None:
    with offline(tmp_path, recipes=write_recipes(tmp_path, key)) as session:
        found, other = verify(session, tmp_path / "net.py"), verify(session, tmp_path / "block.py")
    assert all(f"recipe {key!r} in recipes.py" in text and "no class Nett" in text for text in shown(found))
    assert shown(other)[0].startswith("[unverified: no inputs for Net")
    assert [note.startswith(f"recipe {key!r} in recipes.py") for note in other.notes] == [True]


def test_a_recipe_that_raises_is_the_reason_for_its_file_only(tmp_path: Path) -> None:
    path = tmp_path / "recipes.py"
    path.write_text("def broken():\n    return {}['weights']\nRECIPES = {'net.Net': broken}\n")
    with offline(tmp_path, recipes=str(path)) as session:
        found = shown(verify(session, tmp_path / "net.py"))
        other = shown(verify(session, tmp_path / "block.py"))
    assert found == ["[unverified: recipe 'net.Net' in recipes.py failed: KeyError: 'weights' (recipes.py:2)]"] * 2
    assert other[0].startswith("[unverified: no inputs for Net")


def test_a_recipe_that_raises_beside_inputs_that_work_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "recipes.py"
    path.write_text("RECIPES = {'net.Net': lambda: 1 / 0}\n")
    with offline(tmp_path, recipes=str(path)) as session:
        found = verify(session, tmp_path / "net.py", NET + "def make():\n    return Net(), (1,)\n")
    assert shown(found)[0] == DISMISSED
    assert found.notes == ("recipe 'net.Net' in recipes.py failed: ZeroDivisionError: division by zero (recipes.py:1)",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 / 0\n", "import of recipes.py failed: ZeroDivisionError: division by zero (recipes.py:1)"),
        ("RECIPE = {}\n", "recipes.py must define RECIPES, a dict of class to function"),
        ("import os\nos._exit(5)\n", "the code under test ended its process with exit status 5"),
        (None, "there is no recipes file recipes.py"),
    ],
)
def test_a_recipes_file_that_is_wrong(tmp_path: Path, text: str | None, expected: str) -> None:
    path = tmp_path / "recipes.py"
    if text is not None:
        path.write_text(text)
    with offline(tmp_path, recipes=str(path)) as session:
        assert shown(verify(session, tmp_path / "block.py")) == [f"[unverified: {expected}]"]
        with_own = verify(session, tmp_path / "net.py", NET + "def make():\n    return Net(), (1,)\n")
    assert shown(with_own)[0] == DISMISSED
    assert with_own.notes == (expected,)


def test_example_inputs_for_two_classes(tmp_path: Path) -> None:
    source = (
        BLOCK
        + "class Net(Block):\n    def __call__(self, x, y):\n        return x * y  # here\n"
        + "def example_inputs():\n    return {'Block': (1,), 'Net': ((1,), {'y': 2})}\n"
    )
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "two.py", source)) == [DISMISSED, DISMISSED]


def test_example_inputs_that_are_wrong(tmp_path: Path) -> None:
    source = BLOCK + "def example_inputs():\n    return {'Blok': (1,)}\n"
    with offline(tmp_path) as session:
        found = verify(session, tmp_path / "two.py", source)
    assert shown(found) == ["[unverified: example_inputs() in two.py: there is no class 'Blok' in two.py]"]


def test_one_wrong_name_leaves_the_others_their_inputs(tmp_path: Path) -> None:
    source = BLOCK + "def example_inputs():\n    return {'Blok': (1,), 'Block': (1,)}\n"
    with offline(tmp_path) as session:
        found = verify(session, tmp_path / "two.py", source)
    assert shown(found) == [DISMISSED]
    assert found.notes == ("example_inputs() in two.py: there is no class 'Blok' in two.py",)


def test_a_recipe_that_serves_no_file_is_told_once(tmp_path: Path) -> None:
    with offline(tmp_path, recipes=write_recipes(tmp_path, "nowhere.Net")) as session:
        notes = [verify(session, tmp_path / name).notes for name in ("block.py", "net.py")]
    assert [len(found) for found in notes] == [1, 0]
    assert "nowhere" in notes[0][0]


@pytest.mark.parametrize(
    ("body", "told"), [("return 1 / 0", "ZeroDivisionError"), ("return Block(), ('a',)", "eager call of Block failed")]
)
def test_inputs_that_fail_are_told_where_nothing_was_found(tmp_path: Path, body: str, told: str) -> None:
    source = BLOCK.replace("  # here", "") + f"def make():\n    {body}\n"
    with offline(tmp_path) as session:
        (note,) = verify(session, tmp_path / "none.py", source).notes
    assert told in note
