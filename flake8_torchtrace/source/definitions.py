"""What a file defines: its classes, functions, imports and module-level names."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from flake8_torchtrace.source.names import canonical, imported_names

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(eq=False, slots=True)
class FunctionInfo:
    """A function, method or lambda of the file."""

    node: FunctionNode
    name: str
    qualname: str
    owner: ClassInfo | None = None
    decorators: tuple[ast.expr, ...] = ()
    others: tuple[FunctionInfo, ...] = ()
    """What the name stands for where the other branch of an ``if`` was taken."""

    @property
    def is_async(self) -> bool:
        """Whether it is a coroutine function."""
        return isinstance(self.node, ast.AsyncFunctionDef)


@dataclass(eq=False, slots=True)
class ClassInfo:
    """A class of the file with what its body binds."""

    node: ast.ClassDef
    name: str
    qualname: str
    bases: list[ast.expr]
    methods: dict[str, FunctionInfo] = field(default_factory=dict)
    assigned: dict[str, ast.expr] = field(default_factory=dict)
    annotated: dict[str, ast.expr] = field(default_factory=dict)
    inner: dict[str, ClassInfo] = field(default_factory=dict)


@dataclass(eq=False, slots=True)
class FileModel:
    """Everything that a file binds at module level, conditional branches included."""

    path: str
    module: str
    is_package: bool
    imports: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    classes: dict[str, ClassInfo] = field(default_factory=dict)
    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    assigned: dict[str, ast.expr] = field(default_factory=dict)
    annotated: dict[str, ast.expr] = field(default_factory=dict)

    @property
    def has_star_import(self) -> bool:
        """Whether names come in that this file does not spell."""
        return "*" in self.imports

    @property
    def imports_torch(self) -> bool:
        """Whether the file imports torch or something from it."""
        return any(dotted.partition(".")[0] == "torch" for dotted in self.imports.values())

    def class_named(self, qualname: str) -> ClassInfo | None:
        """The class of that qualified name (``Outer.Inner``)."""
        first, *rest = qualname.split(".")
        info = self.classes.get(first)
        for part in rest:
            info = None if info is None else info.inner.get(part)
        return info

    def all_classes(self) -> Iterator[ClassInfo]:
        """Every class at module level or inside a class."""
        waiting = list(self.classes.values())
        while waiting:
            info = waiting.pop(0)
            yield info
            waiting.extend(info.inner.values())


def read_definitions(tree: ast.Module, path: str, module: str, is_package: bool) -> FileModel:
    """The model of the file whose syntax tree is ``tree``."""
    model = FileModel(path, module, is_package)
    for statement in _flat(tree.body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for name, dotted in imported_names(statement, module, is_package):
                if name == "*":
                    model.stars.append(dotted.removesuffix(".*"))
                model.imports.setdefault(name, canonical(dotted))
        elif isinstance(statement, ast.ClassDef):
            model.classes[statement.name] = class_info(statement, "")
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            _define(model.functions, function_info(statement, "", None), tree.body)
            for inner in statement.body:
                if isinstance(inner, ast.ClassDef):
                    model.classes.setdefault(inner.name, class_info(inner, f"{statement.name}.<locals>."))
        else:
            _bind(statement, model.assigned, model.annotated)
    if model.has_star_import:
        for name, dotted in _USUAL_NAMES.items():
            model.imports.setdefault(name, dotted)
    return model


# What these names mean wherever `from somewhere import *` brings them in.
_USUAL_NAMES = {
    "torch": "torch", "nn": "torch.nn", "F": "torch.nn.functional", "Module": "torch.nn.Module", "Tensor": "torch.Tensor", "np": "numpy",
}  # fmt: skip


def class_info(node: ast.ClassDef, prefix: str) -> ClassInfo:
    """The class defined by ``node``; ``prefix`` is the qualified name of what it stands in, with a dot, or empty."""
    info = ClassInfo(node, node.name, prefix + node.name, node.bases)
    inside = info.qualname + "."
    for statement in _flat(node.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if _is_setter(statement):
                continue
            _define(info.methods, function_info(statement, inside, info), node.body)
        elif isinstance(statement, ast.ClassDef):
            info.inner[statement.name] = class_info(statement, inside)
        else:
            _bind(statement, info.assigned, info.annotated)
    return info


def function_info(node: FunctionNode, prefix: str, owner: ClassInfo | None) -> FunctionInfo:
    """The function defined by ``node``; ``prefix`` as in `class_info`."""
    if isinstance(node, ast.Lambda):
        return FunctionInfo(node, "<lambda>", prefix + "<lambda>", owner)
    return FunctionInfo(node, node.name, prefix + node.name, owner, tuple(node.decorator_list))


def _define(functions: dict[str, FunctionInfo], info: FunctionInfo, body: list[ast.stmt]) -> None:
    """Bind the name of a function. What an ``else`` binds to it is kept beside what the ``if`` does."""
    before = functions.get(info.name)
    if before is not None and info.node not in body and any(_are_branches(statement, info.node, before.node) for statement in body):
        info.others = (before, *before.others)
    functions[info.name] = info


def _are_branches(statement: ast.stmt, first: ast.AST, second: ast.AST) -> bool:
    return isinstance(statement, ast.If) and first in statement.body and second in statement.orelse


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of ``body`` with those under ``if``, ``try`` and ``with`` in place; the first branch comes last and so wins."""
    for statement in body:
        if isinstance(statement, ast.If):
            yield from _flat(statement.orelse)
            yield from _flat(statement.body)
        elif isinstance(statement, ast.Try):
            for handler in statement.handlers:
                yield from _flat(handler.body)
            yield from _flat(statement.orelse)
            yield from _flat(statement.body)
            yield from _flat(statement.finalbody)
        elif isinstance(statement, ast.With):
            yield from _flat(statement.body)
        else:
            yield statement


def _bind(statement: ast.stmt, assigned: dict[str, ast.expr], annotated: dict[str, ast.expr]) -> None:
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name):
                assigned[target.id] = statement.value
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        annotated[statement.target.id] = statement.annotation
        if statement.value is not None:
            assigned[statement.target.id] = statement.value


def _is_setter(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter") for d in node.decorator_list)
