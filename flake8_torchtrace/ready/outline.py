"""The classes of a file, and what it imports, read without running it."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from flake8_torchtrace.model import Span


@dataclass(frozen=True)
class ClassOutline:
    """``name`` has the names of the classes around it (``Outer.Inner``); ``span`` is from ``class`` to the end of the name or bases.

    ``bases`` are as they are written; ``first`` is the line of its first decorator, or of ``class``, ``end`` its last.
    """

    name: str
    span: Span
    first: int
    body: int
    end: int
    bases: tuple[str, ...]
    has_forward: bool
    mark: ast.expr | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Outline:
    """``imported`` maps a name to the module and the name there; ``stars`` are modules of which all is imported."""

    classes: dict[str, ClassOutline]
    imported: dict[str, tuple[str, str]]
    stars: tuple[str, ...]


def read_source(path: str) -> str:
    """The text of a Python file. Raises OSError, SyntaxError, UnicodeDecodeError."""
    with tokenize.open(path) as file:
        return file.read()


def outline(tree: ast.Module, package: str) -> Outline:
    """What ``tree`` defines and imports; ``package`` is the dotted name that relative imports start from."""
    imported: dict[str, tuple[str, str]] = {}
    stars: list[str] = []
    for node in _statements(tree):
        if isinstance(node, ast.ImportFrom):
            module = _absolute(node, package)
            for alias in node.names:
                if alias.name == "*":
                    stars.append(module)
                else:
                    imported[alias.asname or alias.name] = (module, alias.name)
    return Outline({item.name: item for item in _classes(tree, "")}, imported, tuple(stars))


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported, those of ``if`` and ``try`` too."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _statements(child)
        elif isinstance(child, ast.excepthandler):
            yield from _statements(child)


def _classes(node: ast.AST, around: str) -> Iterator[ClassOutline]:
    for child in _statements(node):
        if isinstance(child, ast.ClassDef):
            name = f"{around}.{child.name}" if around else child.name
            yield _class(child, name)
            yield from _classes(child, name)


def _class(node: ast.ClassDef, name: str) -> ClassOutline:
    parts = [*node.bases, *(item.value for item in node.keywords)]
    ends = [(node.lineno, node.col_offset + len("class ") + len(node.name)), *((item.end_lineno or 0, item.end_col_offset or 0) for item in parts)]
    first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
    methods = {item.name for item in node.body if isinstance(item, ast.FunctionDef) and not _is_abstract(item)}
    assigned = dict(_assigned(node.body))
    return ClassOutline(
        name, Span(node.lineno, node.col_offset, *max(ends)), first, node.body[0].lineno, node.end_lineno or node.lineno,
        tuple(ast.unparse(base) for base in node.bases), "forward" in methods or "forward" in assigned, assigned.get("__torchtrace__"),
    )  # fmt: skip


def _assigned(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for item in body:
        targets = item.targets if isinstance(item, ast.Assign) else [item.target] if isinstance(item, ast.AnnAssign) else []
        for target in targets:
            if isinstance(target, ast.Name) and isinstance(item, (ast.Assign, ast.AnnAssign)) and item.value is not None:
                yield target.id, item.value


def _is_abstract(node: ast.FunctionDef) -> bool:
    """Whether a method only says that subclasses have it."""
    if any(ast.unparse(item).rpartition(".")[2] == "abstractmethod" for item in node.decorator_list):
        return True
    body = [item for item in node.body if not (isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant))]
    return bool(body) and isinstance(body[0], ast.Raise) and "NotImplementedError" in ast.unparse(body[0])


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - node.level + 1]
    return ".".join([*kept, *([node.module] if node.module else [])])
