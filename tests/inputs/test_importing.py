"""The file under test is imported as the program around it would."""

from __future__ import annotations

import queue
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flake8_torchtrace.inputs.importing import add_to_path, dotted_name, import_file, project_root
from flake8_torchtrace.inputs.mistakes import InputsError


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """Imports of one test leave nothing for the next."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = dict(sys.modules)
    yield
    for name in sys.modules.keys() - before.keys():
        del sys.modules[name]


def write(path: Path, text: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return str(path)


def test_a_file_alone(tmp_path: Path) -> None:
    module = import_file(write(tmp_path / "models" / "net.py", "from helper import SIZE\nclass Net: ...\n"))
    assert module.Net.__module__ == module.__name__ == "net"


@pytest.fixture(autouse=True)
def helper(tmp_path: Path) -> None:
    write(tmp_path / "models" / "helper.py", "SIZE = 3\n")


def test_a_file_in_a_package_has_its_dotted_name(tmp_path: Path) -> None:
    write(tmp_path / "lib" / "pkg" / "__init__.py")
    write(tmp_path / "lib" / "pkg" / "part" / "__init__.py", "from ..base import SIZE\n")
    write(tmp_path / "lib" / "pkg" / "base.py", "SIZE = 4\n")
    path = write(tmp_path / "lib" / "pkg" / "part" / "net.py", "from . import SIZE\nclass Net: ...\n")
    module = import_file(path)
    assert (module.__name__, module.SIZE) == ("pkg.part.net", 4)
    assert import_file(path) is module
    assert sys.modules["pkg.part.net"] is module


def test_the_init_file_of_a_package(tmp_path: Path) -> None:
    assert import_file(write(tmp_path / "pkg" / "__init__.py", "X = 1\n")).__name__ == "pkg"


def test_a_link_to_a_file_is_the_file(tmp_path: Path) -> None:
    path = write(tmp_path / "net.py", "X = 1\n")
    (tmp_path / "link.py").symlink_to(path)
    assert import_file(str(tmp_path / "link.py")).__name__ == "net"


@pytest.mark.parametrize("name", ["queue", "sys", "not-a-name"])
def test_a_name_that_means_something_else(tmp_path: Path, name: str) -> None:
    module = import_file(write(tmp_path / f"{name}.py", "class Net: ...\n"))
    assert module.Net.__module__ == module.__name__ != name
    assert sys.modules[module.__name__] is module
    assert sys.modules["queue"] is queue


def test_two_files_of_one_name(tmp_path: Path) -> None:
    first = import_file(write(tmp_path / "a" / "net.py", "X = 1\n"))
    second = import_file(write(tmp_path / "b" / "net.py", "X = 2\n"))
    assert (first.X, second.X) == (1, 2)


def test_the_project_comes_before_installed_packages_and_after_the_standard_library(tmp_path: Path) -> None:
    write(tmp_path / "pytest.py")
    write(tmp_path / "queue.py")
    add_to_path([str(tmp_path)])
    entries = [Path(entry) for entry in sys.path]
    here = entries.index(tmp_path)
    assert here > entries.index(Path(queue.__file__ or "").parent)
    assert all(here < at for at, entry in enumerate(entries) if entry.name == "site-packages")


def test_the_way_to_the_file_and_the_working_directory_are_importable(tmp_path: Path) -> None:
    write(tmp_path / "top.py", "X = 1\n")
    write(tmp_path / "deep" / "beside.py", "Y = 2\n")
    module = import_file(write(tmp_path / "deep" / "net.py", "import top, beside\nZ = top.X + beside.Y\n"))
    assert module.Z == 3


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import os\nraise ValueError('no weights')\n", "import of net.py failed: ValueError: no weights (net.py:2)"),
        ("x = (\n", "import of net.py failed: SyntaxError: '(' was never closed (net.py:1)"),
        ("import sys\nsys.exit(2)\n", "import of net.py failed: sys.exit(2) (net.py:2)"),
        ("import part\n", "import of net.py failed: KeyError: 'weights' (part.py:1)"),
        ("raise ValueError('x' * 1000)\n", f"import of net.py failed: ValueError: {'x' * 285}... (net.py:1)"),
    ],
)
def test_a_failing_import_is_told_in_one_line(tmp_path: Path, source: str, expected: str) -> None:
    write(tmp_path / "part.py", "{}['weights']\n")
    with pytest.raises(InputsError) as caught:
        import_file(write(tmp_path / "net.py", source))
    assert str(caught.value) == expected


def test_a_package_that_cannot_be_imported_is_the_reason(tmp_path: Path) -> None:
    write(tmp_path / "pkg" / "__init__.py", "\nimport no_such_library\n")
    with pytest.raises(InputsError) as caught:
        import_file(write(tmp_path / "pkg" / "net.py"))
    place = "pkg/__init__.py:2"
    assert str(caught.value) == (f"import of pkg/net.py failed: ModuleNotFoundError: No module named 'no_such_library' ({place})")


def test_dotted_name(tmp_path: Path) -> None:
    write(tmp_path / "pkg" / "__init__.py")
    assert dotted_name(str(tmp_path / "pkg" / "net.py")) == (str(tmp_path), "pkg.net")
    assert dotted_name(str(tmp_path / "models" / "net.py")) == (str(tmp_path / "models"), "net")


def test_project_root(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml")
    assert project_root(write(tmp_path / "a" / "b" / "net.py")) == str(tmp_path)
