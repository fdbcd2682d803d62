"""Calls and attributes that lie outside the file: in the classes of torch, and in other files of the project."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source import attributes, calls
from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo
from flake8_torchtrace.source.elements import CONTAINERS, HELD, element_of
from flake8_torchtrace.source.frame import Env, Frame
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.project import OuterCall
from flake8_torchtrace.source.values import (
    UNKNOWN,
    External,
    Func,
    Instance,
    Sequence,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter


def inherited_attribute(it: Interpreter, info: ClassInfo, name: str, frame: Frame) -> Value:
    """An attribute that no class of the file sets."""
    for base in it.outer_bases(info):
        found = it.project.attribute(base, name, Instance(info), frame)
        if found is not None:
            return found
    return UNKNOWN


def inherited_call(
    it: Interpreter, info: ClassInfo, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.AST | None = None
) -> Value:
    """Calling an instance whose forward lies outside the file."""
    for base in it.outer_bases(info):
        held = it.stored(info).get(HELD)
        if base == "torch.nn.Sequential" and held is not None:
            return calls.call_value(it, External(base, (Sequence(held, None, "*"),)), args, keywords, None, frame)
        if load().is_module_class(base) and base != "torch.nn.Module":
            return calls.call_value(it, External(base), args, keywords, None, frame)
        found = project_method(it, base, "forward", Instance(info), args, keywords, frame, node)
        if found is not None:
            return found
    return Tensor(False) if any(isinstance(arg, Tensor) for arg in args) else UNKNOWN


def inherited_method(
    it: Interpreter, info: ClassInfo, name: str, args: list[Value], keywords: dict[str, Value], frame: Frame,
    node: ast.AST | None = None, receiver: Value | None = None,
) -> Value:  # fmt: skip
    """Calling a method that lies in a base outside the file; ``receiver`` is an instance of ``info`` unless given."""
    for base in it.outer_bases(info):
        found = project_method(it, base, name, receiver or Instance(info), args, keywords, frame, node)
        if found is not None:
            return found
    _hold(it, info, name, args, frame)
    return UNKNOWN


def _hold(it: Interpreter, info: ClassInfo, name: str, args: list[Value], frame: Frame) -> None:
    """A class that is a container of modules is given some."""
    if name in ("__init__", "append", "add_module", "insert", "extend") and args and not CONTAINERS.isdisjoint(it.outer_bases(info)):
        for value in args if name == "__init__" else args[-1:]:
            found = element_of(it, value, frame) if isinstance(value, Sequence) else value
            attributes.store_attribute(it.stored(info), HELD, found)


def project_call(
    it: Interpreter, dotted: str, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.AST | None = None
) -> Value | None:
    """What a function or class of another file of the project gives when called; None if the index does not know it."""
    return it.project.call(dotted, _outer_call(it, args, keywords, frame, node))


def project_method(
    it: Interpreter, dotted: str, name: str, receiver: Value, args: list[Value], keywords: dict[str, Value], frame: Frame,
    node: ast.AST | None = None,
) -> Value | None:  # fmt: skip
    """What ``receiver.name(...)`` gives where the method lies in the class ``dotted`` of another file, or in a base of that."""
    return it.project.call_method(dotted, name, receiver, _outer_call(it, args, keywords, frame, node))


def _outer_call(it: Interpreter, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.AST | None) -> OuterCall:
    return OuterCall(frame, args, keywords, node or frame.statement, not it.muted)


def call_outer_wrappers(it: Interpreter, info: FunctionInfo, env: Env, frame: Frame) -> None:
    """A call of a decorated function enters what decorators of other files put in its place."""
    for decorator in info.decorators if not it.muted else ():
        is_called = isinstance(decorator, ast.Call)
        dotted = it.resolve(decorator.func if isinstance(decorator, ast.Call) else decorator, None)
        if dotted is None or not it.project.covers(dotted):
            continue
        given = tuple(it.static_value(arg) for arg in decorator.args) if isinstance(decorator, ast.Call) else ()
        parameters = info.node.args
        args = [env[parameter.arg] for parameter in (*parameters.posonlyargs, *parameters.args)]
        keywords = {parameter.arg: env[parameter.arg] for parameter in parameters.kwonlyargs}
        call = _outer_call(it, args, keywords, frame, None)
        it.project.call_decorated(dotted, given if is_called else None, Func(info), call)
