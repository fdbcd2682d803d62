"""The evidence analysis: runs traced functions on abstract values and tells a listener what it meets."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from flake8_torchtrace.source import attributes, calls, expressions, outer, statements
from flake8_torchtrace.source.binding import bind_arguments
from flake8_torchtrace.source.definitions import FileModel, FunctionInfo
from flake8_torchtrace.source.elements import element_of
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.guards import DISABLED, ISLANDS
from flake8_torchtrace.source.hierarchy import Hierarchy
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.listener import Listener
from flake8_torchtrace.source.project import NO_PROJECT, OuterCall, Project
from flake8_torchtrace.source.scope import BudgetError
from flake8_torchtrace.source.values import (
    NONE,
    UNKNOWN,
    External,
    Func,
    Instance,
    Method,
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


class Interpreter(Hierarchy):
    """Runs the functions of one file. ``listener`` hears what is met unless `muted`."""

    def __init__(self, model: FileModel, listener: Listener, project: Project = NO_PROJECT) -> None:
        super().__init__(model, listener, project)
        project.attach(self)
        self._memo: dict[tuple[object, ...], Value] = {}
        self._contexts: dict[ast.AST, int] = {}
        self._results: dict[ast.AST, Value] = {}
        self._active: list[ast.AST] = []
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
            outer.call_outer_wrappers(self, info, env, inner)
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
