"""Where tracing starts: the forwards of module classes, and functions handed to torch.compile or torch.export."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from flake8_torchtrace.source.attributes import decorator_names
from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.values import Class, Func, Instance, Value

_COMPILERS = {"torch.compile", "torch._dynamo.optimize", "torch.export.export", "torch.export.export_for_training", "torch.export.draft_export"}


def entry_points(it: Interpreter, tree: ast.Module, methods: Collection[str], mentions_compile: bool) -> Iterator[tuple[Value, Func, str | None]]:
    """``(what is called, the function itself, owning class)`` for every place where tracing starts: the two differ where a decorator of the
    file wraps it. ``methods`` are the names of entry points."""
    for info in it.model.all_classes():
        if not _can_be_module(it, info):
            continue
        for name in methods:
            method = it.find_method(info, name)
            if method is None and isinstance(info.assigned.get(name), ast.Name):
                alias = info.assigned[name]
                method = it.find_method(info, alias.id) if isinstance(alias, ast.Name) else None
            if method is not None and not _is_static(it, method):
                receiver = Instance(info)
                yield it.bound_method(method, receiver), Func(method, receiver), info.qualname
    if mentions_compile:
        yield from _compiled(it, tree)


def _can_be_module(it: Interpreter, info: ClassInfo) -> bool:
    return it.is_module(info)


def _is_static(it: Interpreter, method: FunctionInfo) -> bool:
    return bool(decorator_names(it, method) & {"staticmethod"})


def _compiled(it: Interpreter, tree: ast.Module) -> Iterator[tuple[Value, Func, str | None]]:
    for info in it.model.functions.values():
        if any(it.resolve(_called(decorator), None) in _COMPILERS for decorator in info.decorators):
            yield Func(info), Func(info), None
    for cls in it.model.all_classes():
        for info in cls.methods.values():
            if any(it.resolve(_called(decorator), None) in _COMPILERS for decorator in info.decorators):
                yield Func(info, Instance(cls)), Func(info, Instance(cls)), cls.qualname
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Name | ast.Attribute):
            if it.resolve(node.func, None) in _COMPILERS:
                yield from _handed_over(it, node.args[0])


def _handed_over(it: Interpreter, node: ast.expr) -> Iterator[tuple[Value, Func, str | None]]:
    if isinstance(node, ast.Name) and node.id in it.model.functions:
        func = Func(it.model.functions[node.id])
        yield func, func, None


def _called(decorator: ast.expr) -> ast.expr:
    """``torch.compile`` of ``@torch.compile(...)``, and of ``@partial(torch.compile, ...)``."""
    if not isinstance(decorator, ast.Call):
        return decorator
    if decorator.args and isinstance(decorator.func, ast.Name | ast.Attribute):
        name = decorator.func.id if isinstance(decorator.func, ast.Name) else decorator.func.attr
        if name == "partial":
            return decorator.args[0]
    return decorator.func


def callee(it: Interpreter, name: str, receiver: Value | None) -> Func | None:
    """The function that the qualified ``name`` stands for, as its decorators in the file leave it, bound to ``receiver``."""
    owner, _, last = name.rpartition(".")
    if not owner:
        found = it.global_value(name) if name in it.model.functions else None
        return found if isinstance(found, Func) else None
    info = it.model.class_named(owner)
    method = None if info is None else info.methods.get(last)
    if method is None:
        return None
    return _bound(it, method, receiver)


def _bound(it: Interpreter, method: FunctionInfo, receiver: Value | None) -> Func:
    names = decorator_names(it, method)
    if receiver is None or "staticmethod" in names:
        return Func(method)
    if "classmethod" in names:
        return Func(method, Class(receiver.info) if isinstance(receiver, Instance) else receiver)
    if "property" in names or "cached_property" in names:
        return Func(method, receiver)
    return it.bound_method(method, receiver)
