"""What the names of a file stand for: globals, imports, annotations."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod

from flake8_torchtrace.source.annotations import annotation_value
from flake8_torchtrace.source.definitions import FileModel
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.listener import Listener
from flake8_torchtrace.source.names import dotted_of
from flake8_torchtrace.source.project import Project
from flake8_torchtrace.source.teller import Teller
from flake8_torchtrace.source.values import (
    NONE,
    UNKNOWN,
    Class,
    Func,
    Instance,
    Python,
    Ref,
    Value,
)

_BUILTINS = frozenset(dir(__builtins__)) if not isinstance(__builtins__, dict) else frozenset(__builtins__)


class BudgetError(Exception):
    """The analysis of one entry point took too many steps; what it found so far stands."""


class Scope(Teller, ABC):
    """The names of one file, of which ``project`` knows the other files."""

    def __init__(self, model: FileModel, listener: Listener, project: Project) -> None:
        super().__init__(listener)
        self.model = model
        self.project = project
        self.module_frame = Frame(None, {}, (), None)
        self._globals: dict[str, Value] = {}
        self._aliases: dict[str, Value | None] = {}

    @abstractmethod
    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""

    @abstractmethod
    def decorate(self, value: Func, frame: Frame) -> Func:
        """What the name of a decorated function holds."""

    def global_value(self, name: str) -> Value:
        """The value of a module-level name or builtin."""
        found = self._globals.get(name)
        if found is not None:
            return found
        model = self.model
        self._globals[name] = UNKNOWN
        value: Value = UNKNOWN
        if name in model.functions:
            value = self.decorate(Func(model.functions[name]), self.module_frame)
        elif name in model.classes:
            value = Class(model.classes[name])
        elif name in model.assigned:
            value = self._constant(model.assigned[name])
            if value is UNKNOWN and name in model.imports:
                value = Ref(model.imports[name])
            if value is UNKNOWN and name in model.annotated:
                value = self.annotated_value(model.annotated[name], name) or UNKNOWN
        elif name in model.imports:
            value = self.project.imported(model.imports[name])
        elif name in _BUILTINS:
            value = Ref(f"builtins.{name}")
        elif model.stars:
            value = self.project.starred(model.stars, name) or UNKNOWN
        self._globals[name] = value
        return value

    def _constant(self, node: ast.expr) -> Value:
        value = self.static_value(node)
        if isinstance(value, Python) and value.const is not None and value != NONE:
            return Python(value.type)
        return value if value != NONE else UNKNOWN

    def static_value(self, node: ast.expr) -> Value:
        """The value of an expression at module or class level, where nothing is traced."""
        self.muted += 1
        try:
            return self.evaluate(node, self.module_frame)
        except (BudgetError, RecursionError):
            return UNKNOWN
        finally:
            self.muted -= 1

    def resolve(self, node: ast.expr, frame: Frame | None) -> str | None:
        """The dotted name that ``node`` stands for, through imports and ``import`` statements inside functions."""
        name = dotted_of(node)
        if name is None:
            return None
        top, dot, rest = name.partition(".")
        value = frame.lookup(top) if frame is not None else None
        if value is None:
            if top in self.model.imports and top not in self.model.classes and top not in self.model.functions:
                return self.project.resolved(self.model.imports[top] + dot + rest)
            if top in self.model.classes or top in self.model.functions or top in self.model.assigned:
                return None
            return f"builtins.{name}" if top in _BUILTINS else None
        return self.project.resolved(value.dotted + dot + rest) if isinstance(value, Ref) else None

    def annotated_value(self, node: ast.expr | None, what: str) -> Value | None:
        """The value of something annotated."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in self.model.classes:
            return Instance(self.model.classes[node.value])
        if isinstance(node, ast.Name) and node.id in self.model.classes:
            return Instance(self.model.classes[node.id])
        return annotation_value(node, self._annotation_name, f"the annotation of {what}")

    def _annotation_name(self, node: ast.expr) -> str | Value | None:
        if isinstance(node, ast.Name) and node.id in self.model.assigned and node.id not in self.model.imports:
            alias = self.alias(node.id)
            if alias is not None:
                return alias
        found = self.resolve(node, None)
        if found is None:
            return dotted_of(node) if not isinstance(node, ast.Name) or node.id not in self.model.classes else None
        return self.project.alias(found) or found.removeprefix("builtins.")

    def alias(self, name: str) -> Value | None:
        """The value of something annotated with ``name`` where that is an alias of the file, such as ``Mask = Optional[Tensor]``."""
        if name not in self._aliases:
            self._aliases[name] = None
            node = self.model.assigned.get(name)
            self._aliases[name] = annotation_value(node, self._annotation_name, f"the annotation {name}")
        return self._aliases[name]
