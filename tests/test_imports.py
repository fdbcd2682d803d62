"""Who may import whom: nothing imports what comes after it, and torch and libcst stay where they belong."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from flake8_program import ROOT

PACKAGE = "flake8_torchtrace"
# For each part: the other parts and the installed packages that it may import. Parts that are not here, such as the
# doors and the reports, stand at the end and may import any of these.
PARTS: dict[str, tuple[set[str], set[str]]] = {
    "__init__": (set(), set()),
    "model": (set(), set()),
    "folder": (set(), set()),
    "source": ({"model", "folder"}, {"libcst"}),
    "rules": ({"model", "source"}, {"libcst"}),
    "inputs": ({"model"}, {"torch"}),
    "tracing": (set(), {"torch"}),
    "verify": ({"model", "inputs", "tracing", "folder"}, {"torch"}),
    "pyproject": (set(), {"tomli", "tomllib"}),  # tomllib is not in the standard library of Python 3.10
    "config": ({"model", "folder", "pyproject", "ready", "verify"}, set()),
    "noqa": ({"model"}, {"flake8"}),
    "report": ({"model"}, {"jinja2", "markupsafe", "pygments"}),
}
# Loading these must not load torch or libcst, which cost more than everything else together.
LATE = {"torch", "libcst"}
# What runs in children only and is itself imported late.
IN_CHILDREN = f"{PACKAGE}.inputs.synthesis"


def files() -> list[Path]:
    return [*sorted((ROOT / PACKAGE).rglob("*.py")), *sorted((ROOT / "rules").glob("*.py"))]


def dotted(path: Path) -> str:
    """The module of a file, as installed: ``flake8_torchtrace.rules.print_call``."""
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    parts = [PACKAGE, *parts] if parts[0] == "rules" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def part(module: str) -> str:
    """``source`` of ``flake8_torchtrace.source.engine``."""
    names = module.split(".")
    return names[1] if len(names) > 1 and names[1] != "__version__" else "__init__"


def imported(path: Path, nodes: Iterator[ast.AST]) -> set[str]:
    """The absolute names of what ``nodes`` import."""
    package = dotted(path) if path.name == "__init__.py" else dotted(path).rpartition(".")[0]
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            found |= {f"{module}.{alias.name}" for alias in node.names} if module == PACKAGE else {module}
    return found


def at_import(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes that run when the module is imported."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for child in ast.iter_child_nodes(node):
            is_late = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) or _is_type_checking(child)
            if not is_late:
                waiting.append(child)


def _is_type_checking(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


@pytest.mark.parametrize("path", [path for path in files() if part(dotted(path)) in PARTS], ids=dotted)
def test_imports(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    own = part(dotted(path))
    parts, packages = PARTS[own]
    names = imported(path, ast.walk(tree))
    assert {part(name) for name in names if name.split(".")[0] == PACKAGE} - {own, "__init__"} <= parts
    assert {name.split(".")[0] for name in names} - {PACKAGE, *sys.stdlib_module_names} <= packages


def may_not_load_torch(path: Path) -> bool:
    return part(dotted(path)) != "tracing" and not dotted(path).startswith(f"{IN_CHILDREN}.")


@pytest.mark.parametrize("path", [path for path in files() if may_not_load_torch(path)], ids=dotted)
def test_heavy_packages_are_imported_late(path: Path) -> None:
    names = imported(path, at_import(ast.parse(path.read_text(encoding="utf-8"))))
    assert {name.split(".")[0] for name in names} & LATE == set()
    assert not any(name.startswith(IN_CHILDREN) for name in names)


def test_every_part_is_there() -> None:
    assert {part(dotted(path)) for path in files()} >= {*PARTS, "plugin"}


def test_the_scan_sees_every_kind_of_import() -> None:
    code = "import torch.nn\nfrom ..model import X\nfrom . import wire\nfrom flake8_torchtrace import plugin\ndef f():\n    import libcst\n"
    path = ROOT / PACKAGE / "verify" / "match.py"
    tree = ast.parse(code)
    early = {"torch.nn", "flake8_torchtrace.model", "flake8_torchtrace.verify", "flake8_torchtrace.plugin"}
    assert imported(path, ast.walk(tree)) == early | {"libcst"}
    assert imported(path, at_import(tree)) == early
