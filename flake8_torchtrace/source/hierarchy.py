"""The classes of a file: their bases, their methods, and what their instances hold."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Iterator

from flake8_torchtrace.source import attributes
from flake8_torchtrace.source.definitions import ClassInfo, FileModel, FunctionInfo
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.listener import Listener
from flake8_torchtrace.source.names import dotted_of
from flake8_torchtrace.source.project import Project
from flake8_torchtrace.source.scope import BudgetError, Scope
from flake8_torchtrace.source.values import (
    NONE,
    UNKNOWN,
    Func,
    Instance,
    Union,
    Value,
)


class Hierarchy(Scope):
    """The classes of one file."""

    def __init__(self, model: FileModel, listener: Listener, project: Project) -> None:
        super().__init__(model, listener, project)
        self._steps = 0
        self._stores: dict[ClassInfo, dict[str, Value]] = {}
        self._orders: dict[ClassInfo, list[ClassInfo]] = {}

    @abstractmethod
    def call_function(
        self, func: Func, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.Call | None, is_entry: bool = False
    ) -> Value:
        """Run a function of the file and give what it returns."""

    def mro(self, info: ClassInfo) -> list[ClassInfo]:
        """The class and its bases in the file, depth first, nearest first."""
        order = self._orders.get(info)
        if order is None:
            order = self._orders[info] = [info]
            for base in info.bases:
                value = self._base_class(base)
                if value is not None and value not in order:
                    order.extend(cls for cls in self.mro(value) if cls not in order)
        return order

    def _base_class(self, base: ast.expr) -> ClassInfo | None:
        if isinstance(base, ast.Subscript):
            base = base.value
        if isinstance(base, ast.Name) and base.id in self.model.classes:
            return self.model.classes[base.id]
        return None

    def outer_bases(self, info: ClassInfo) -> Iterator[str]:
        """The dotted names of the bases outside the file."""
        for cls in self.mro(info):
            for base in cls.bases:
                node = base.value if isinstance(base, ast.Subscript) else base
                if self._base_class(node) is None:
                    name = self.resolve(node, None) or dotted_of(node)
                    if name is not None:
                        yield name

    def is_module(self, info: ClassInfo) -> bool:
        """Whether instances can be modules: by base class, by the project index, or by having a forward."""
        for name in self.outer_bases(info):
            if name == "torch.autograd.Function":
                return False
            if load().is_module_class(name) or self.project.is_module(name):
                return True
        if not self.model.imports_torch or self.find_method(info, "forward") is None:
            return False
        return not self.project.is_plain(f"{self.model.module}.{info.qualname}")

    def find_method(self, info: ClassInfo, name: str) -> FunctionInfo | None:
        """The method of that name, here or in a base of the file."""
        for cls in self.mro(info):
            if name in cls.methods:
                return cls.methods[name]
        return None

    def stored(self, info: ClassInfo) -> dict[str, Value]:
        """What instances hold in their attributes, as their ``__init__`` (run once, unheard) and later assignments show."""
        store = self._stores.get(info)
        if store is None:
            store = self._stores[info] = {}
            self._run_init(info, store)
        return store

    def _run_init(self, info: ClassInfo, store: dict[str, Value]) -> None:
        self.muted += 1
        steps = self._steps
        try:
            for name in ("__init__", "__post_init__", "setup", "build", "reset_parameters", "_setup"):
                method = self.find_method(info, name)
                if method is not None and (name == "__init__" or name in info.methods):
                    self.call_function(Func(method, Instance(info)), [], {}, self.module_frame, None, is_entry=True)
            if self.find_method(info, "__init__") is None:
                for cls in reversed(self.mro(info)):
                    for name, annotation in cls.annotated.items():
                        store.setdefault(name, self.annotated_value(annotation, name) or UNKNOWN)
        except (BudgetError, RecursionError):
            pass
        finally:
            self.muted -= 1
            self._steps = steps
        self._mark_assigned_elsewhere(info, store)

    def _mark_assigned_elsewhere(self, info: ClassInfo, store: dict[str, Value]) -> None:
        """An attribute that is None at first and set by another method may hold anything."""
        for name, value in store.items():
            if value == NONE:
                store[name] = Union((NONE, UNKNOWN))

    def construct(self, info: ClassInfo, args: list[Value], keywords: dict[str, Value], frame: Frame) -> Value:
        """An instance of a class of the file, built inside traced code."""
        init = self.find_method(info, "__init__")
        if init is not None and not (self.muted and self.is_module(info)):
            self.stored(info)
            self.call_function(Func(init, Instance(info)), args, keywords, frame, None)
        elif init is None and info.annotated:
            store = self.stored(info)
            names = [name for cls in reversed(self.mro(info)) for name in cls.annotated]
            for name, value in (*zip(names, args, strict=False), *keywords.items()):
                if store.get(name) is UNKNOWN:
                    del store[name]
                attributes.store_attribute(store, name, value)
        return Instance(info)

    def method_context(self, frame: Frame) -> tuple[ClassInfo | None, Value | None]:
        """The class whose method ``frame`` runs, and its ``self``."""
        current: Frame | None = frame
        while current is not None:
            if current.self_value is not None and current.info is not None:
                return current.info.owner, current.self_value
            current = current.closure
        return None, None
