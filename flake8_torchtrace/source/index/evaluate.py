"""Answers to questions about a file, found by analysing it."""

from __future__ import annotations

from flake8_torchtrace.source import attributes
from flake8_torchtrace.source.compiled import compiled_elsewhere, may_compile
from flake8_torchtrace.source.entries import callee, entry_points, wrappers
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.index.asking import IndexProject
from flake8_torchtrace.source.index.loaded import Loaded
from flake8_torchtrace.source.index.portable import Json, value_to_json
from flake8_torchtrace.source.index.shapes import shape_of
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.project import OuterCall
from flake8_torchtrace.source.values import UNKNOWN, Instance


def member(loaded: Loaded, name: str) -> Json:
    """What ``name`` is at the top level of the file."""
    if name not in loaded.outline.valued:
        return loaded.outline.member(name)
    model = loaded.it.model
    value = value_to_json(loaded.it.global_value(name), model.module)
    return ["value", value] if value is not None or name not in model.imports else ["import", model.imports[name]]


def shape(loaded: Loaded, name: str) -> Json:
    """The shape of a class of the file."""
    info = loaded.it.model.class_named(name)
    return None if info is None else shape_of(loaded.it, info).to_json()


def stored(loaded: Loaded, class_name: str, attribute: str) -> Json:
    """What instances of a class of the file hold in an attribute."""
    it = loaded.it
    info = it.model.class_named(class_name)
    if info is None:
        return None
    value = it.stored(info).get(attribute)
    if value is None:
        value = attributes._find_assigned(it, info, attribute)
    return None if value is None else value_to_json(value, it.model.module)


def alias(loaded: Loaded, name: str) -> Json:
    """What something annotated with ``name`` of the file is; None if that is no alias of a type."""
    value = loaded.it.alias(name)
    return None if value is None else value_to_json(value, loaded.it.model.module)


def called(it: Interpreter, project: IndexProject, text: str) -> Json:
    """``[value, is_island]``: what the function of a ``call`` question returns; None if the file has no such function."""
    entry = project.decode_entry(text, Frame(None, {}, (), None))
    func = callee(it, entry.name, entry.receiver)
    if func is None:
        return None
    is_island = it.is_disabled(func.info)
    value = it.run_called(func, entry.call)
    return [value_to_json(value, it.model.module), int(is_island)]


def wraps(it: Interpreter, project: IndexProject, decorator: str, given: Json) -> Json:
    """1 if the decorator puts a function of its own in place of what it decorates, else 0."""
    func = callee(it, decorator, None)
    arguments = None if given is None else tuple(project.decode(argument) for argument in given)
    return int(func is not None and bool(wrappers(it, func, UNKNOWN, arguments)))


def roots(loaded: Loaded, methods: tuple[str, ...]) -> int:
    """Analyse from every place of the file where tracing starts; 1 if there is one, else 0."""
    it = loaded.it
    found = 0
    methods = ("forward", *methods)
    compiles = may_compile(loaded.text)
    for func, function, owner in entry_points(it, loaded.tree, methods, compiles):
        it.run_entry(func, function, owner)
        found = 1
    for dotted in compiled_elsewhere(it, loaded.tree) if compiles else ():
        it.project.call(dotted, OuterCall(Frame(None, {}, (), None), is_entry=True, is_forward=True))
    for info in it.model.all_classes():
        for name in methods:
            if it.find_method(info, name) is None and it.is_module(info):
                call = OuterCall(Frame(None, {}, (), info.qualname), is_entry=True, is_forward=True)
                for base in it.outer_bases(info):
                    if it.project.call_method(base, name, Instance(info), call) is not None:
                        found = 1
                        break
    return found
