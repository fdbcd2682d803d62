"""Names lead to classes without an import; marks in files are found where they stand; mistakes name their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.ready.collect import collect, make_names, marked_files
from flake8_torchtrace.ready.table import read_entries
from flake8_torchtrace.usage import UsageError

NET = "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
Write = Callable[..., Path]


@pytest.fixture
def package(write: Write, tmp_path: Path) -> Path:
    """A package whose files cannot be imported."""
    write("src/pkg/__init__.py", "from .model import Net as Public\nfrom .blocks import *\nraise SystemExit\n")
    write("src/pkg/model.py", f"{NET}\nclass Outer:\n    class Inner(nn.Module):\n        forward = None\n")
    write(
        "src/pkg/blocks/__init__.py",
        """
        from ..model import Net
        class First(Net): pass
        class Chain(nn.Sequential): pass
        class Options: pass
        class Base(nn.Module):
            def forward(self, x):
                "Subclasses have it."
                raise NotImplementedError
        """,
    )
    write("src/pkg/blocks/deep.py", NET.replace("Net", "Deep"))
    return tmp_path


def promised(folder: Path, table: Any) -> dict[str, str]:
    """Dotted names with what they promise."""
    entries = read_entries(table, folder / "pyproject.toml")
    found = collect(entries, make_names(str(folder)), marked_files([str(folder)]))
    return {item.name: ", ".join(item.promises.words(promise) for promise in item.promises.ordered) for item in found}


def test_names(package: Path) -> None:
    assert promised(package, {"pkg.model.Net": "export"}) == {"pkg.model.Net": "export"}
    assert promised(package, {"pkg.Public": "export"}) == {"pkg.model.Net": "export"}
    assert promised(package, {"pkg.First": "export"}) == {"pkg.blocks.First": "export"}
    assert promised(package, {"pkg.model.Outer.Inner": "export"}) == {"pkg.model.Outer.Inner": "export"}


def test_a_glob_stands_for_module_classes(package: Path) -> None:
    assert set(promised(package, {"pkg.blocks.*": "export"})) == {"pkg.blocks.First", "pkg.blocks.Chain", "pkg.blocks.deep.Deep"}
    assert set(promised(package, {"pkg.model.N*": "export"})) == {"pkg.model.Net"}
    assert set(promised(package, {"*.Deep": "export"})) == {"pkg.blocks.deep.Deep"}


def test_an_exact_name_takes_a_class_out_of_a_glob(package: Path) -> None:
    table = {"pkg.blocks.*": "export", "pkg.blocks.First": "fullgraph", "pkg.blocks.deep.Deep": []}
    assert promised(package, table) == {"pkg.blocks.First": "fullgraph", "pkg.blocks.Chain": "export"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("pkg.model.Nets", "there is no class Nets in pkg.model; did you mean pkg.model.Net?"),
        ("pkg.modl.Net", "there is no class modl.Net in pkg"),
        ("nowhere.Net", "there is no module nowhere"),
        ("pkg.model", "pkg.model is a module, not a class"),
        ("pkg.model.X*", "no module class has a name like this in pkg.model"),
        ("pkg.nothing.*", "there is no module pkg.nothing"),
        ("nowhere.*", "there is no module nowhere"),
        ("math.Net", "there is no class Net in math"),
    ],
)
def test_names_that_lead_nowhere(package: Path, name: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        promised(package, {name: "export"})
    assert str(caught.value).startswith(f"{package / 'pyproject.toml'}: [tool.torchtrace.ready] {name}: {why}")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"# torchtrace: export-strict\n{NET}", "export-strict"),
        (NET.replace(":\n", ":  # torchtrace: fullgraph, max-breaks=2\n", 1), "fullgraph, max-breaks=2"),
        (f"# torchtrace: export\n@final\n{NET}", "export"),
        (f"@final\n# torchtrace: export\n{NET}", "export"),
        (NET.replace("(nn.Module)", "(  # torchtrace: export\n    nn.Module,\n)"), "export"),
        (NET.replace("(nn.Module)", "(\n    nn.Module,  #torchtrace:export\n)"), "export"),
        (f"# torchtrace: export\n{NET}    __torchtrace__ = 'fullgraph'\n", "fullgraph, export"),
        (f"{NET}    __torchtrace__: tuple[str, ...] = ('fullgraph', 'export')\n", "fullgraph, export"),
        (f"{NET}    __torchtrace__ = {{'max-breaks': 1}}\n", "max-breaks=1"),
    ],
)
def test_marks(write: Write, tmp_path: Path, text: str, found: str) -> None:
    write("net.py", text)
    assert promised(tmp_path, {}) == {"net.Net": found}


@pytest.mark.parametrize(
    "text",
    [
        f'TEXT = """\n# torchtrace: export\n"""\n{NET}',
        NET.replace("return x", "return x  # torchtrace: see the README"),
        f"# torchtrace is a tool\n{NET}",
    ],
)
def test_what_is_no_mark(write: Write, tmp_path: Path, text: str) -> None:
    write("net.py", text)
    assert promised(tmp_path, {}) == {}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"# torchtrace: exprt\n{NET}", "net.py:1: there is no promise 'exprt'; did you mean export?"),
        (f"# torchtrace: export\n\n{NET}", "net.py:1: `# torchtrace: export` stands at no class"),
        (NET.replace("return x", "return x  # torchtrace: max-breaks=2"), "net.py:3: `# torchtrace: max-breaks=2` stands at no class"),
        (f"{NET}    __torchtrace__ = PROMISES\n", "net.py:4: __torchtrace__ must be written out"),
    ],
)
def test_mistakes_in_marks(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, why: str) -> None:
    write("net.py", text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError) as caught:
        promised(tmp_path, {})
    assert str(caught.value).startswith(why)


def test_marks_are_looked_for_in_the_code_of_the_project(write: Write, tmp_path: Path) -> None:
    for folder in (".hidden", "venv", "build", "inner"):
        write(f"{folder}/net.py", f"# torchtrace: export\n{NET}")
    write("venv/pyvenv.cfg", "")
    assert promised(tmp_path, {}) == {"inner.net.Net": "export"}


def test_a_mark_and_an_entry_hold_together(write: Write, tmp_path: Path) -> None:
    write("net.py", f"# torchtrace: max-breaks=1\n{NET}")
    assert promised(tmp_path, {"net.*": ["fullgraph", "max-breaks=3"]}) == {"net.Net": "fullgraph, max-breaks=1"}
