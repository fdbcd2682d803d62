"""Functions handed to torch.compile or torch.export: entry points wherever they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo, function_info
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.values import Func, Instance
from flake8_torchtrace.source.walk import walk

_COMPILERS = {"torch.compile", "torch._dynamo.optimize", "torch.export.export", "torch.export.export_for_training", "torch.export.draft_export"}
_PARAMETERS = {"model", "mod", "f", "fn"}

_MENTIONS = ("torch.compile", "import compile", "export(", "_dynamo.optimize", "draft_export")

Local = dict[str, FunctionInfo]


def may_compile(text: str) -> bool:
    """The cheap question: False only if a file with this text hands nothing to torch.compile or torch.export."""
    return any(word in text for word in _MENTIONS)


def compiled_functions(it: Interpreter, tree: ast.Module) -> Iterator[tuple[Func, str | None]]:
    """``(function, owning class)`` for functions of the file that are decorated with or passed to torch.compile or torch.export."""
    yield from _decorated(it)
    yield from _passed(it, tree, None, {})


def compiled_elsewhere(it: Interpreter, tree: ast.Module) -> Iterator[str]:
    """The dotted names of what the file imports and passes to torch.compile or torch.export."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and _is_compiler(it, node.func):
            for argument in _given(node):
                dotted = it.resolve(argument, None)
                if dotted is not None:
                    yield dotted


def _given(node: ast.Call) -> list[ast.expr]:
    return [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg in _PARAMETERS)]


def _decorated(it: Interpreter) -> Iterator[tuple[Func, str | None]]:
    for info in it.model.functions.values():
        if any(it.resolve(_called(decorator), None) in _COMPILERS for decorator in info.decorators):
            yield Func(info), None
    for cls in it.model.all_classes():
        for info in cls.methods.values():
            if any(it.resolve(_called(decorator), None) in _COMPILERS for decorator in info.decorators):
                yield Func(info, Instance(cls)), cls.qualname


def _called(decorator: ast.expr) -> ast.expr:
    """``torch.compile`` of ``@torch.compile(...)``, and of ``@partial(torch.compile, ...)``."""
    if not isinstance(decorator, ast.Call):
        return decorator
    if decorator.args and isinstance(decorator.func, ast.Name | ast.Attribute):
        name = decorator.func.id if isinstance(decorator.func, ast.Name) else decorator.func.attr
        if name == "partial":
            return decorator.args[0]
    return decorator.func


def _passed(it: Interpreter, node: ast.AST, cls: ClassInfo | None, local: Local) -> Iterator[tuple[Func, str | None]]:
    if isinstance(node, ast.ClassDef):
        cls = next((info for info in it.model.all_classes() if info.node is node), None)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        inside = [statement for statement in node.body if isinstance(statement, ast.FunctionDef)]
        local = {**local, **{statement.name: function_info(statement, f"{node.name}.<locals>.", None) for statement in inside}}
    elif isinstance(node, ast.Call) and _is_compiler(it, node.func):
        for argument in _given(node):
            yield from _handed_over(it, argument, cls, local)
    for child in ast.iter_child_nodes(node):
        yield from _passed(it, child, cls, local)


def _is_compiler(it: Interpreter, func: ast.expr) -> bool:
    """``torch.compile``, and ``torch.compile(backend=...)`` that is called in its turn."""
    if isinstance(func, ast.Call):
        return _is_compiler(it, func.func)
    return it.resolve(func, None) in _COMPILERS


def _handed_over(it: Interpreter, node: ast.expr, cls: ClassInfo | None, local: Local) -> Iterator[tuple[Func, str | None]]:
    if isinstance(node, ast.Name):
        info = local.get(node.id) or it.model.functions.get(node.id)
        if info is not None:
            yield Func(info), None
    elif isinstance(node, ast.Lambda):
        yield Func(function_info(node, "", None)), None
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self" and cls is not None:
        method = it.find_method(cls, node.attr)
        if method is not None:
            yield Func(method, Instance(cls)), cls.qualname
