"""The evidence analysis: runs traced functions on abstract values and tells a listener what it meets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from flake8_torchtrace.source import attributes, calls, expressions, statements
from flake8_torchtrace.source.annotations import annotation_value
from flake8_torchtrace.source.binding import bind_arguments
from flake8_torchtrace.source.definitions import ClassInfo, FileModel, FunctionInfo
from flake8_torchtrace.source.elements import CONTAINERS, HELD, element_of
from flake8_torchtrace.source.frame import Env, Frame
from flake8_torchtrace.source.guards import DISABLED, ISLANDS
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.listener import Listener
from flake8_torchtrace.source.names import dotted_of
from flake8_torchtrace.source.project import NO_PROJECT, OuterCall, Project
from flake8_torchtrace.source.values import (
    NONE,
    UNKNOWN,
    Class,
    Drawn,
    External,
    Func,
    Instance,
    Method,
    Python,
    Ref,
    Sequence,
    Super,
    Tensor,
    Union,
    Value,
    drop_none,
    join,
    join_all,
    options,
    tensor_of,
)

_DEEPEST = 24
_CONTEXTS = 12
_CONTEXTS_OF_SMALL, _SMALL = 120, 8
_STEPS = 400_000
_BUILTINS = frozenset(dir(__builtins__)) if not isinstance(__builtins__, dict) else frozenset(__builtins__)


class BudgetError(Exception):
    """The analysis of one entry point took too many steps; what it found so far stands."""


class Interpreter:
    """Runs the functions of one file. ``listener`` hears what is met unless `muted`."""

    def __init__(self, model: FileModel, listener: Listener, project: Project = NO_PROJECT) -> None:
        self.model = model
        self.listener = listener
        self.project = project
        project.attach(self)
        self.muted = 0
        self.decisions: dict[ast.AST, list[ast.AST]] = {}
        self._steps = 0
        self._globals: dict[str, Value] = {}
        self._aliases: dict[str, Value | None] = {}
        self._stores: dict[ClassInfo, dict[str, Value]] = {}
        self._orders: dict[ClassInfo, list[ClassInfo]] = {}
        self._memo: dict[tuple[object, ...], Value] = {}
        self._contexts: dict[ast.AST, int] = {}
        self._results: dict[ast.AST, Value] = {}
        self._active: list[ast.AST] = []
        self.module_frame = Frame(None, {}, (), None)
        self.usages: dict[ast.AST, dict[str, str]] = {}
        self.in_forward = False
        self.is_speculative = False
        self.ran: set[ast.AST] = set()

    # -- evaluation ------------------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr, frame: Frame) -> Value:
        """The value of an expression."""
        return expressions.evaluate(self, node, frame)

    def bind(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Assign."""
        statements.bind(self, target, value, frame)

    def spend(self) -> None:
        """Count a step; raises `BudgetError` when an entry point has had its share."""
        self._steps += 1
        if self._steps > _STEPS:
            raise BudgetError

    def learn(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """What is now known of the name or path ``node``."""
        if isinstance(node, ast.Name):
            if frame.lookup(node.id) is not None:
                frame.env[node.id] = value
            return
        path = attributes.path_of(node)
        if path is not None:
            frame.env[path] = value

    # -- names -----------------------------------------------------------------------------------------------------------

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

    # -- classes ---------------------------------------------------------------------------------------------------------

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

    # -- what lies in other files ------------------------------------------------------------------------------------------

    def inherited_attribute(self, info: ClassInfo, name: str, frame: Frame) -> Value:
        """An attribute that no class of the file sets."""
        for base in self.outer_bases(info):
            found = self.project.attribute(base, name, Instance(info), frame)
            if found is not None:
                return found
        return UNKNOWN

    def inherited_call(
        self, info: ClassInfo, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.AST | None = None
    ) -> Value:
        """Calling an instance whose forward lies outside the file."""
        for base in self.outer_bases(info):
            held = self.stored(info).get(HELD)
            if base == "torch.nn.Sequential" and held is not None:
                return calls.call_value(self, External(base, (Sequence(held, None, "*"),)), args, keywords, None, frame)
            if load().is_module_class(base) and base != "torch.nn.Module":
                return calls.call_value(self, External(base), args, keywords, None, frame)
            found = self.project_method(base, "forward", Instance(info), args, keywords, frame, node)
            if found is not None:
                return found
        return Tensor(False) if any(isinstance(arg, Tensor) for arg in args) else UNKNOWN

    def inherited_method(
        self, info: ClassInfo, name: str, args: list[Value], keywords: dict[str, Value], frame: Frame,
        node: ast.AST | None = None, receiver: Value | None = None,
    ) -> Value:  # fmt: skip
        """Calling a method that lies in a base outside the file; ``receiver`` is an instance of ``info`` unless given."""
        for base in self.outer_bases(info):
            found = self.project_method(base, name, receiver or Instance(info), args, keywords, frame, node)
            if found is not None:
                return found
        if name in ("register_buffer", "register_parameter"):
            self.register(info, args, keywords)
        self._hold(info, name, args, frame)
        return UNKNOWN

    def _hold(self, info: ClassInfo, name: str, args: list[Value], frame: Frame) -> None:
        """A class that is a container of modules is given some."""
        if name in ("__init__", "append", "add_module", "insert", "extend") and args and not CONTAINERS.isdisjoint(self.outer_bases(info)):
            for value in args if name == "__init__" else args[-1:]:
                found = element_of(self, value, frame) if isinstance(value, Sequence) else value
                attributes.store_attribute(self.stored(info), HELD, found)

    def register(self, info: ClassInfo, args: list[Value], keywords: dict[str, Value]) -> None:
        """``register_buffer`` reached through ``super()``; the name is not known here."""

    def project_call(
        self, dotted: str, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.AST | None = None
    ) -> Value | None:
        """What a function or class of another file of the project gives when called; None if the index does not know it."""
        return self.project.call(dotted, self._outer_call(args, keywords, frame, node))

    def project_method(
        self, dotted: str, name: str, receiver: Value, args: list[Value], keywords: dict[str, Value], frame: Frame,
        node: ast.AST | None = None,
    ) -> Value | None:  # fmt: skip
        """What ``receiver.name(...)`` gives where the method lies in the class ``dotted`` of another file, or in a base of that."""
        return self.project.call_method(dotted, name, receiver, self._outer_call(args, keywords, frame, node))

    def _outer_call(self, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.AST | None) -> OuterCall:
        return OuterCall(frame, args, keywords, node or frame.statement, not self.muted)

    def _call_outer_wrappers(self, info: FunctionInfo, env: Env, frame: Frame) -> None:
        """A call of a decorated function enters what decorators of other files put in its place."""
        for decorator in info.decorators if not self.muted else ():
            is_called = isinstance(decorator, ast.Call)
            dotted = self.resolve(decorator.func if isinstance(decorator, ast.Call) else decorator, None)
            if dotted is None or not self.project.covers(dotted):
                continue
            given = tuple(self.static_value(arg) for arg in decorator.args) if isinstance(decorator, ast.Call) else ()
            parameters = info.node.args
            args = [env[parameter.arg] for parameter in (*parameters.posonlyargs, *parameters.args)]
            keywords = {parameter.arg: env[parameter.arg] for parameter in parameters.kwonlyargs}
            call = self._outer_call(args, keywords, frame, None)
            self.project.call_decorated(dotted, given if is_called else None, Func(info), call)

    # -- calls -------------------------------------------------------------------------------------------------------------

    def is_island(self, info: FunctionInfo) -> bool:
        """Whether a decorator keeps the tracer out of the function."""
        return self._has_decorator(info, ISLANDS)

    def is_disabled(self, info: FunctionInfo) -> bool:
        """Whether a decorator makes the function run outside of the graph."""
        return self._has_decorator(info, DISABLED)

    def _has_decorator(self, info: FunctionInfo, names: set[str]) -> bool:
        targets = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in info.decorators)
        return any(self.resolve(target, None) in names for target in targets)

    def decorate(self, value: Func, frame: Frame) -> Func:
        """What the name of a decorated function holds: the wrapper that a decorator of this file returns, else the function."""
        result = value
        for decorator in reversed(value.info.decorators):
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if not isinstance(target, ast.Name) or target.id == value.info.name:
                continue
            local = frame.lookup(target.id)
            if local is None and target.id in self.model.functions:
                local = self.global_value(target.id)
            if not isinstance(local, Func):
                continue
            self.muted += 1
            try:
                applied = self.evaluate(decorator, frame) if isinstance(decorator, ast.Call) else local
                wrapped = calls.call_value(self, applied, [result], {}, None, frame)
            finally:
                self.muted -= 1
            if isinstance(wrapped, Func):
                result = wrapped
        return result

    def bound_method(self, method: FunctionInfo, receiver: Value) -> Func:
        """A method of an instance: what its decorators in this file made of it, bound to ``receiver``."""
        if not method.decorators:
            return Func(method, receiver)
        wrapper = self.decorate(Func(method), self.module_frame)
        assert isinstance(wrapper, Func)
        return Func(wrapper.info, receiver, wrapper.closure)

    def call_passed(self, args: list[Value], keywords: dict[str, Value], frame: Frame) -> None:
        """Functions handed to something unknown may be called by it; local functions and lambdas are followed."""
        for value in (*args, *keywords.values()):
            if isinstance(value, Func) and value.closure is not None:
                self.call_function(value, [], {}, frame, None, is_entry=True)

    def call_method(self, value: Value, name: str, args: list[Value], frame: Frame, element: bool = False) -> Value:
        """``value.name(*args)`` for an instance of a class of the file; with ``element`` what iterating over the result gives."""
        if not isinstance(value, Instance):
            return UNKNOWN
        method = self.find_method(value.info, name)
        if method is None:
            return UNKNOWN
        result = self.call_function(self.bound_method(method, value), args, {}, frame, None)
        return element_of(self, result, frame) if element and not isinstance(result, Instance) else result

    def call_function(
        self, func: Func, args: list[Value], keywords: dict[str, Value], frame: Frame, node: ast.Call | None, is_entry: bool = False
    ) -> Value:
        """Run a function of the file and give what it returns. With ``is_entry`` missing arguments are what the code says of them."""
        if func.info.others:
            versions = [replace(func.info, others=()), *func.info.others]
            return join_all([self.call_function(replace(func, info=version), args, keywords, frame, node, is_entry) for version in versions])
        info = func.info
        declared = None if isinstance(info.node, ast.Lambda) else self.annotated_value(info.node.returns, f"{info.name}()")
        if self.is_island(info):
            if not self.muted and self.is_disabled(info):
                self.listener.skipped(node, info.name, frame)
            return declared or calls._guess(args, keywords)
        if info.is_async:
            return UNKNOWN
        env, self_value = bind_arguments(self, func, args, keywords, is_entry)
        key = (info.node, func.bound, self.muted > 0, frame.owner if is_entry else None, *env.values())
        if func.closure is not None:
            key = (*key, str(id(func.closure)), *func.closure.env.values())
        known = self._memo.get(key)
        if known is not None:
            return known
        count = self._contexts.get(info.node, 0)
        if len(self._active) >= _DEEPEST or self._active.count(info.node) >= 2 or count >= _most_contexts(info, is_entry):
            return declared or self._results.get(info.node) or calls._guess(args, keywords)
        self._contexts[info.node] = count + 1
        if not self.muted:
            self.ran.add(info.node)
        self._memo[key] = declared or UNKNOWN
        inner = Frame(
            info, env, (*frame.chain, self._call_name(info, frame)), frame.owner, self_value, func.closure,
        )  # fmt: skip
        self._active.append(info.node)
        try:
            self._call_outer_wrappers(info, env, inner)
            result = self._run(info, inner)
        finally:
            self._active.pop()
        result = self._with_annotation(result, declared)
        before = self._results.get(info.node)
        self._results[info.node] = result if before is None else join(before, result)
        self._memo[key] = result
        return result

    def _run(self, info: FunctionInfo, frame: Frame) -> Value:
        if isinstance(info.node, ast.Lambda):
            closure = frame.closure
            frame.statement = closure.statement if closure is not None else None
            return self.evaluate(info.node.body, frame)
        falls_through = statements.run_block(self, info.node.body, frame)
        if frame.is_generator:
            return Sequence(join_all(frame.yields), None, "list")
        if not frame.returns:
            return NONE
        result = join_all(frame.returns)
        return join(result, NONE) if falls_through else result

    def _with_annotation(self, result: Value, declared: Value | None) -> Value:
        """An annotated return type is believed where the body leaves it open."""
        if declared is None:
            return result
        if result is UNKNOWN or result == NONE:
            return declared
        if isinstance(result, Tensor) and not result.sure and isinstance(declared, Tensor):
            return Tensor(True, result.dtype or declared.dtype, declared.origin)
        if any(option is UNKNOWN for option in options(result)):
            return declared
        return result

    def _call_name(self, info: FunctionInfo, frame: Frame) -> str:
        is_inner = bool(frame.chain) and (frame.info is None or frame.info.owner is not info.owner)
        if is_inner and info.owner is not None and info.name in ("forward", "__call__"):
            return f"{info.owner.name}.{info.name}"
        return info.name

    # -- telling the listener ------------------------------------------------------------------------------------------------

    def decided(self, value: Value, node: ast.AST) -> None:
        """A number drawn from a tensor decided at ``node`` what Python does next."""
        for option in options(value):
            if isinstance(option, Drawn) and not self.muted:
                places = self.decisions.setdefault(option.node, [])
                if node not in places:
                    places.append(node)

    def tested(self, node: ast.expr, value: Value, frame: Frame, context: str) -> None:
        """The truth of ``node`` was asked."""
        if not self.muted:
            self.decided(value, node)
            self.listener.tested(node, value, frame, context)

    def called(
        self, node: ast.Call, callee: Value, receiver: Value | None, args: list[Value], keywords: dict[str, Value],
        result: Value, frame: Frame,
    ) -> None:
        """A call was met."""
        if receiver is not None and isinstance(receiver, Instance) and isinstance(callee, Method | type(UNKNOWN)):
            self._registered(node, receiver, args, keywords)
        if not self.muted:
            self.listener.called(node, self._with_outer(node, callee, receiver), receiver, args, keywords, result, frame)

    def _with_outer(self, node: ast.Call, callee: Value, receiver: Value | None) -> Value:
        """A method that an instance has from outside the file goes by that class's name as well, such as ``logging.Logger.info``."""
        if not isinstance(receiver, Instance | Super) or not isinstance(node.func, ast.Attribute) or not isinstance(callee, Method | type(UNKNOWN)):
            return callee
        outer = [Ref(f"{base}.{node.func.attr}") for base in self.outer_bases(receiver.info) if not load().is_module_class(base)]
        return Union((callee, *outer)) if outer else callee

    def _registered(self, node: ast.Call, receiver: Instance, args: list[Value], keywords: dict[str, Value]) -> None:
        """``self.register_buffer("mask", value)`` and ``register_parameter`` set an attribute."""
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in ("register_buffer", "register_parameter"):
            return
        first = node.args[0] if node.args else next((k.value for k in node.keywords if k.arg == "name"), None)
        value = args[1] if len(args) > 1 else keywords.get("tensor", keywords.get("param", UNKNOWN))
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            found = drop_none(value)
            origin = (f"{node.func.attr}({first.value!r})", node.lineno)
            tensor = found if isinstance(found, Tensor) and found.sure else Tensor(True, found.dtype if isinstance(found, Tensor) else "", origin)
            stored = join(tensor, NONE) if value == NONE else tensor
            attributes.store_attribute(self.stored(receiver.info), first.value, stored)

    def subscripted(self, node: ast.Subscript, base: Value, index: Value, frame: Frame) -> None:
        """``base[index]`` was read."""
        if not self.muted:
            if not isinstance(drop_none(base), Tensor):
                self.decided(index, node)
            self.listener.subscripted(node, base, index, frame)

    def attribute_read(self, node: ast.Attribute, base: Value, frame: Frame) -> None:
        """``base.attr`` of a tensor was read."""
        if not self.muted:
            self.listener.attribute_read(node, base, frame)

    def item_assigned(self, node: ast.Subscript, base: Value, index: Value, value: Value, frame: Frame) -> None:
        """``base[index] = value``."""
        if not self.muted:
            self.listener.item_assigned(node, base, index, value, frame)

    def attribute_assigned(self, node: ast.Attribute, base: Value, value: Value, frame: Frame) -> None:
        """``base.attr = value``."""
        if not self.muted:
            self.listener.attribute_assigned(node, base, value, frame)

    def keyed(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """A dict display had a key."""
        if not self.muted:
            self.listener.keyed(node, value, frame)

    def iterated(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """A loop went over ``value``."""
        if not self.muted:
            self.listener.iterated(node, value, frame)

    def ordered(self, node: ast.Call, value: Value, frame: Frame) -> None:
        """The call ``node`` compared values such as ``value`` with each other."""
        if not self.muted:
            self.decided(value, node)
            self.listener.ordered(node, value, frame)

    def formatted(self, node: ast.FormattedValue, value: Value, frame: Frame) -> None:
        """``value`` went into an f-string."""
        if not self.muted:
            self.listener.formatted(node, value, frame)

    def entered(self, item: ast.withitem, value: Value, frame: Frame) -> None:
        """A ``with`` was entered."""
        if not self.muted:
            self.listener.entered(item, value, frame)

    def built_class(self, node: ast.ClassDef, frame: Frame) -> None:
        """A class was made."""
        if not self.muted:
            self.listener.built_class(node, frame)

    def matched(self, node: ast.expr, subject: Value, frame: Frame) -> None:
        """A ``match`` compared ``subject`` with ``node``: the comparison of a tensor is asked for its truth."""
        if isinstance(drop_none(subject), Tensor | Drawn):
            self.tested(node, subject, frame, "match")

    def run_orphan(self, func: Func, owner: str | None) -> None:
        """Analyse a function that nothing in the file calls from traced code; what is met is speculative."""
        self._steps = 0
        self._active.clear()
        self.is_speculative = True
        try:
            env, _ = bind_arguments(self, func, [], {}, True)
            if not any(tensor_of(drop_none(value)) or self._is_model(value) for value in env.values()):
                return
            self.call_function(func, [], {}, Frame(None, {}, (), owner), None, is_entry=True)
        except BudgetError:
            return
        finally:
            self.is_speculative = False

    def _is_model(self, value: Value) -> bool:
        found = drop_none(value)
        return isinstance(found, External) and (load().is_module_class(found.dotted) or found.dotted.endswith(("Model", "Module")))

    def starts_entry(self) -> bool:
        """Whether the call being bound is the entry point itself, whose parameters are tensors by convention."""
        return not self._active and not self.muted and (self.in_forward or self.is_speculative)

    # -- entry points ------------------------------------------------------------------------------------------------------

    @contextmanager
    def apart(self) -> Iterator[None]:
        """What is analysed inside plays no part in what is analysed outside, and the other way round."""
        kept = self._memo, self._contexts, self._results, self._steps, self.muted, self.in_forward, self._active
        self._memo, self._contexts, self._results, self._steps = {}, {}, {}, 0
        try:
            yield
        finally:
            self._memo, self._contexts, self._results, self._steps, self.muted, self.in_forward, self._active = kept

    def run_called(self, func: Func, call: OuterCall) -> Value:
        """What a function of the file returns for a call from another file, analysed by itself."""
        with self.apart():
            self.muted, self.in_forward = 0, call.is_forward
            if call.is_entry:
                self._active = []
            try:
                return self.call_function(func, call.args, call.keywords, call.frame, None, is_entry=call.is_entry)
            except BudgetError:
                return self._results.get(func.info.node, UNKNOWN)

    def run_entry(self, called: Value, func: Func, owner: str | None) -> None:
        """Analyse from an entry point, with arguments as the signature and body of ``func`` show them; ``called`` is ``func`` or what
        wraps it."""
        self._steps = 0
        self._active.clear()
        self.in_forward = True
        try:
            frame = Frame(None, {}, (), owner)
            if isinstance(called, Func) and called.info is not func.info:
                env, receiver = bind_arguments(self, func, [], {}, True)
                given = list(env.values())
                self.call_function(called, given if receiver is None else given[1:], {}, frame, None)
            else:
                self.call_function(func, [], {}, frame, None, is_entry=True)
        except BudgetError:
            return
        finally:
            self.in_forward = False


def _most_contexts(info: FunctionInfo, is_entry: bool) -> int:
    """In how many ways a function is analysed: a few lines cost little, and what everything uses gets all kinds of values."""
    if (info.node.end_lineno or 0) - info.node.lineno < _SMALL:
        return _CONTEXTS_OF_SMALL
    return _CONTEXTS * (3 if is_entry else 1)
