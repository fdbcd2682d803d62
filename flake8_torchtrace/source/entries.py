"""Where tracing starts: the forwards of module classes, and functions handed to torch.compile or torch.export."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from flake8_torchtrace.source.attributes import decorator_names
from flake8_torchtrace.source.calls import call_value
from flake8_torchtrace.source.compiled import compiled_functions
from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo, function_info
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.project import Entry
from flake8_torchtrace.source.scope import BudgetError
from flake8_torchtrace.source.values import NONE, UNKNOWN, Class, Func, Instance, Value, options


def entry_points(it: Interpreter, tree: ast.Module, methods: Collection[str], mentions_compile: bool) -> Iterator[tuple[Value, Func, str | None]]:
    """``(what is called, the function itself, owning class)`` for every place where tracing starts: the two differ where a decorator of the
    file wraps it. ``methods`` are the names of entry points."""
    for info in it.model.all_classes():
        if not it.is_module(info):
            continue
        for name in methods:
            method = it.find_method(info, name)
            if method is not None and not _is_static(it, method):
                receiver = Instance(info)
                yield it.bound_method(method, receiver), Func(method, receiver), info.qualname
            elif method is None:
                for func in _other_roads(it, info, name):
                    yield func, func, info.qualname
    if mentions_compile:
        for func, owner in compiled_functions(it, tree):
            yield func, func, owner


def _is_static(it: Interpreter, method: FunctionInfo) -> bool:
    return bool(decorator_names(it, method) & {"staticmethod"})


def _other_roads(it: Interpreter, info: ClassInfo, name: str) -> Iterator[Func]:
    """``forward = encode``, ``forward = lambda self, x: ...`` in the class, and ``self.forward = self.encode`` in ``__init__``."""
    assigned = info.assigned.get(name)
    if isinstance(assigned, ast.Name):
        method = it.find_method(info, assigned.id) or it.model.functions.get(assigned.id)
        if method is not None:
            yield Func(method, Instance(info))
    elif isinstance(assigned, ast.Lambda):
        yield Func(function_info(assigned, info.qualname + ".", info), Instance(info))
    for option in options(it.stored(info).get(name, UNKNOWN)):
        if isinstance(option, Func):
            yield option


def enter(it: Interpreter, entry: Entry) -> Value | None:
    """What the file does for a call from traced code of another file; None if there is no such function."""
    func = callee(it, entry.name, entry.receiver)
    if func is None:
        return None
    if entry.decorated is None:
        return it.run_called(func, entry.call)
    for wrapper in wrappers(it, func, entry.decorated, entry.arguments):
        it.run_called(wrapper, entry.call)
    return NONE


def wrappers(it: Interpreter, decorator: Func, decorated: Value, arguments: tuple[Value, ...] | None) -> list[Func]:
    """The functions inside ``decorator`` that it puts in place of ``decorated``. ``arguments``: of ``@decorator(...)``, None for a plain one."""
    with it.apart():
        it.muted += 1
        try:
            applied: Value = decorator
            if arguments is not None:
                applied = call_value(it, decorator, list(arguments), {}, None, it.module_frame)
            made = call_value(it, applied, [decorated], {}, None, it.module_frame)
        except (BudgetError, RecursionError):
            return []
    return [option for option in options(made) if isinstance(option, Func) and option.closure is not None]


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
