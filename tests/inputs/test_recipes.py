"""The recipes file: keys to files, functions to modules."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_torchtrace.inputs.mistakes import InputsError
from flake8_torchtrace.inputs.recipes import build_from_recipe, list_recipes, source_files


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """A project with a package, a package under src, a script and room for a recipes file."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = dict(sys.modules)
    files = {
        "pyproject.toml": "",
        "pkg/__init__.py": "from .net import Net as Network\nfrom .net import expand\nVALUE = 1\n",
        "pkg/net.py": "class Net:\n    def __call__(self, x): ...\nclass Outer:\n    class Inner: ...\ndef expand(x): ...\n",
        "pkg/broken.py": "import no_such_library\n",
        "src/inner/__init__.py": "",
        "src/inner/part.py": "class Part: ...\n",
        "scripts/tool.py": "class Tool: ...\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    yield
    for name in sys.modules.keys() - before.keys():
        del sys.modules[name]


def recipes(tmp_path: Path, text: str) -> str:
    path = tmp_path / "scripts" / "recipes.py"
    path.write_text(text)
    return str(path)


def entry(tmp_path: Path, key: str) -> tuple[str, str | None, str | None]:
    """Class, file and mistake of a recipe with this key."""
    (found,) = list_recipes(recipes(tmp_path, f"RECIPES = {{{key!r}: lambda: None}}\n"))
    return found.class_name, found.path and str(Path(found.path).relative_to(tmp_path)), found.mistake


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("Net", ("Net", None, None)),
        ("pkg.net.Net", ("Net", "pkg/net.py", None)),
        ("pkg.Network", ("Network", "pkg/net.py", None)),
        ("inner.part.Part", ("Part", "src/inner/part.py", None)),
        ("tool.Tool", ("Tool", "scripts/tool.py", None)),
        ("pkg/net.py:Net", ("Net", "pkg/net.py", None)),
        ("pkg/net.py:Inner", ("Inner", "pkg/net.py", None)),
        ("tool.py:Tool", ("Tool", "scripts/tool.py", None)),
        ("../pkg/net.py:Net", ("Net", "pkg/net.py", None)),
        ("pkg.net.expand", ("expand", "pkg/net.py", None)),
        ("pkg.expand", ("expand", "pkg/net.py", None)),
        ("pkg/net.py:expand", ("expand", "pkg/net.py", None)),
    ],
)
def test_keys(tmp_path: Path, key: str, expected: tuple[str, str, None]) -> None:
    assert entry(tmp_path, key) == expected


@pytest.mark.parametrize(
    ("key", "path", "expected"),
    [
        ("pkg/net.py:Nett", "pkg/net.py", "there is no class Nett in pkg/net.py"),
        ("pkg/gone.py:Net", None, "there is no file pkg/gone.py"),
        ("pkg.gone.Net", None, "there is no module pkg.gone"),
        ("gone.net.Net", None, "ModuleNotFoundError: No module named 'gone'"),
        ("pkg.net.Nett", "pkg/net.py", "there is no class Nett in module pkg.net"),
        ("pkg.VALUE", "pkg/__init__.py", "VALUE in module pkg is not a class"),
        ("pkg.broken.Net", "pkg/broken.py", "ModuleNotFoundError: No module named 'no_such_library' (pkg/broken.py:1)"),
    ],
)
def test_keys_that_name_nothing(tmp_path: Path, key: str, path: str | None, expected: str) -> None:
    _, found, mistake = entry(tmp_path, key)
    assert found == path
    assert mistake is not None
    assert mistake.startswith(f"recipe {key!r} in scripts/recipes.py")
    assert mistake.endswith(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "scripts/recipes.py must define RECIPES, a dict of class to function"),
        ("RECIPES = [1]", "scripts/recipes.py must define RECIPES, a dict of class to function"),
        ("RECIPES = {1: len}", "RECIPES in scripts/recipes.py: the key 1 must be a string naming a class"),
        ("RECIPES = {'Net': 1}", "recipe 'Net' in scripts/recipes.py must be a function, not an int"),
        ("1 / 0", "import of scripts/recipes.py failed: ZeroDivisionError: division by zero (scripts/recipes.py:1)"),
    ],
)
def test_a_wrong_recipes_file(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        list_recipes(recipes(tmp_path, text))
    assert str(caught.value) == expected


def test_no_recipes_file(tmp_path: Path) -> None:
    with pytest.raises(InputsError) as caught:
        list_recipes(str(tmp_path / "recipes.py"))
    assert str(caught.value) == "there is no recipes file recipes.py"


def test_building(tmp_path: Path) -> None:
    path = recipes(tmp_path, "from pkg.net import Net\nRECIPES = {'Net': lambda: (Net(), (1,), {'y': 2})}\n")
    built = build_from_recipe(path, "Net")
    assert (built.name, built.args, built.kwargs) == ("Net", (1,), {"y": 2})
    assert source_files(built.module) == [str(tmp_path / "pkg" / "net.py")]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("lambda: 1 / 0", "failed: ZeroDivisionError: division by zero (scripts/recipes.py:1)"),
        ("lambda: 5", "must return (module, args, kwargs) or (module, args), not an int"),
    ],
)
def test_a_recipe_that_fails_is_named(tmp_path: Path, value: str, expected: str) -> None:
    with pytest.raises(InputsError) as caught:
        build_from_recipe(recipes(tmp_path, f"RECIPES = {{'Net': {value}}}\n"), "Net")
    assert str(caught.value) == f"recipe 'Net' in scripts/recipes.py {expected}"
