"""The shared walk over the statements of a traced function."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source import attributes, narrowing, sizes
from flake8_torchtrace.source.definitions import class_info, function_info
from flake8_torchtrace.source.elements import element_of, items_of
from flake8_torchtrace.source.expressions import combine, truth_test
from flake8_torchtrace.source.frame import Env, Frame
from flake8_torchtrace.source.names import canonical, imported_names
from flake8_torchtrace.source.values import (
    NONE,
    UNKNOWN,
    Class,
    External,
    Func,
    Instance,
    Mapping,
    Ref,
    Sequence,
    Value,
    join,
    known_truth,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter


def run_block(it: Interpreter, body: list[ast.stmt], frame: Frame) -> bool:
    """Run the statements; False if control cannot reach their end."""
    for statement in body:
        frame.statement = statement
        handler = _TABLE.get(type(statement))
        if handler is not None and not handler(it, statement, frame):
            return False
    return True


def join_env(first: Env, second: Env) -> Env:
    """What holds where two paths meet. A name bound on one path only keeps its value; an attribute path does not."""
    if first is second:
        return first
    merged: Env = {}
    for key, value in first.items():
        other = second.get(key)
        if other is not None:
            merged[key] = value if other is value else join(value, other)
        elif "." not in key and "[" not in key:
            merged[key] = value
    for key, value in second.items():
        if key not in first and "." not in key and "[" not in key:
            merged[key] = value
    return merged


def _expr(it: Interpreter, node: ast.Expr, frame: Frame) -> bool:
    if not isinstance(node.value, ast.Constant):
        it.evaluate(node.value, frame)
        return not _never_returns(node.value)
    return True


def _never_returns(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("exit", "abort") and (
        isinstance(node.func.value, ast.Name) and node.func.value.id in ("sys", "os")
    )


def _assign(it: Interpreter, node: ast.Assign, frame: Frame) -> bool:
    value = it.evaluate(node.value, frame)
    for target in node.targets:
        it.bind(target, value, frame)
    return True


def _annotated(it: Interpreter, node: ast.AnnAssign, frame: Frame) -> bool:
    stated = it.annotated_value(node.annotation, ast.unparse(node.target))
    if node.value is None:
        return True
    value = it.evaluate(node.value, frame)
    if value is UNKNOWN and stated is not None:
        value = stated
    it.bind(node.target, value, frame)
    return True


def _augmented(it: Interpreter, node: ast.AugAssign, frame: Frame) -> bool:
    old = it.evaluate(node.target, frame)
    value = combine(old, it.evaluate(node.value, frame), node.op)
    it.bind(node.target, value, frame)
    return True


def _return(it: Interpreter, node: ast.Return, frame: Frame) -> bool:
    frame.returns.append(NONE if node.value is None else it.evaluate(node.value, frame))
    return False


def _raise(it: Interpreter, node: ast.Raise, frame: Frame) -> bool:
    return False


def _assert(it: Interpreter, node: ast.Assert, frame: Frame) -> bool:
    is_plain = node.msg is None or isinstance(node.msg, ast.Constant)
    truth_test(it, node.test, frame, "assert" if is_plain else "assert with a computed message")
    narrowing.assume(it, node.test, frame, True)
    return True


def _if(it: Interpreter, node: ast.If, frame: Frame) -> bool:
    truth = truth_test(it, node.test, frame, "if")
    before = frame.env
    ends: list[Env] = []
    for wanted, body in ((True, node.body), (False, node.orelse)):
        if truth is (not wanted):
            continue
        frame.env = dict(before)
        narrowing.assume(it, node.test, frame, wanted)
        if run_block(it, body, frame):
            ends.append(frame.env)
    return _meet(ends, frame)


def _meet(ends: list[Env], frame: Frame) -> bool:
    if not ends:
        return False
    merged = ends[0]
    for other in ends[1:]:
        merged = join_env(merged, other)
    frame.env = merged
    return True


def _loop(it: Interpreter, frame: Frame, head: Callable[[], bool | None], body: list[ast.stmt], orelse: list[ast.stmt], node: ast.stmt) -> bool:
    """Run ``body`` until what is known at its head no longer changes (twice at most); ``head`` binds the target or tests."""
    outer_breaks, outer_continues = frame.breaks, frame.continues
    at_head = dict(frame.env)
    exits: list[Env] = []
    is_endless = False
    # Loops in loops: the inner ones settle while the outer ones turn, and every extra turn multiplies.
    frame.loops += 1
    for _ in range(3 if frame.loops == 1 else 2 if frame.loops <= 4 else 1):
        frame.env = dict(at_head)
        frame.breaks, frame.continues = [], []
        frame.statement = node
        truth = head()
        is_endless = truth is True
        if truth is False:
            break
        ends = [frame.env] if run_block(it, body, frame) else []
        ends += frame.continues
        exits = frame.breaks
        merged = at_head
        for end in ends:
            merged = join_env(merged, end)
        if merged == at_head:
            break
        at_head = merged
    frame.loops -= 1
    frame.breaks, frame.continues = outer_breaks, outer_continues
    frame.env = at_head
    after = [] if is_endless else [frame.env] if run_block(it, orelse, frame) else []
    return _meet([*after, *exits], frame)


def _for(it: Interpreter, node: ast.For | ast.AsyncFor, frame: Frame) -> bool:
    iterated = it.evaluate(node.iter, frame)
    it.iterated(node.iter, iterated, frame)
    element = element_of(it, iterated, frame)

    def head() -> bool | None:
        it.bind(node.target, element, frame)
        return None

    return _loop(it, frame, head, node.body, node.orelse, node)


def _while(it: Interpreter, node: ast.While, frame: Frame) -> bool:
    def head() -> bool | None:
        truth = truth_test(it, node.test, frame, "while")
        narrowing.assume(it, node.test, frame, True)
        return truth if truth is False or isinstance(node.test, ast.Constant) else None

    return _loop(it, frame, head, node.body, node.orelse, node)


def _break(it: Interpreter, node: ast.Break, frame: Frame) -> bool:
    frame.breaks.append(frame.env)
    return False


def _continue(it: Interpreter, node: ast.Continue, frame: Frame) -> bool:
    frame.continues.append(frame.env)
    return False


_EXIT_STACK = External("contextlib.ExitStack")


def _with(it: Interpreter, node: ast.With | ast.AsyncWith, frame: Frame) -> bool:
    entered: list[Value] = []
    for item in node.items:
        value = it.evaluate(item.context_expr, frame)
        it.entered(item, value, frame)
        held = it.call_method(value, "__enter__", [], frame) if isinstance(value, Instance) else value if value == _EXIT_STACK else UNKNOWN
        if item.optional_vars is not None:
            it.bind(item.optional_vars, held, frame)
        entered.append(value)
    is_alive = run_block(it, node.body, frame)
    for value in reversed(entered):
        if isinstance(value, Instance):
            it.call_method(value, "__exit__", [NONE, NONE, NONE], frame)
    return is_alive


def _try(it: Interpreter, node: ast.Try, frame: Frame) -> bool:
    before = dict(frame.env)
    alive = run_block(it, node.body, frame)
    at_failure = join_env(before, frame.env)
    ends: list[Env] = []
    if alive and run_block(it, node.orelse, frame):
        ends.append(frame.env)
    for handler in node.handlers:
        frame.env = dict(at_failure)
        if handler.name:
            frame.env[handler.name] = External("builtins.Exception")
        if run_block(it, handler.body, frame):
            ends.append(frame.env)
    is_alive = _meet(ends, frame)
    if not is_alive:
        frame.env = at_failure
    return run_block(it, node.finalbody, frame) and is_alive


def _match(it: Interpreter, node: ast.Match, frame: Frame) -> bool:
    subject = it.evaluate(node.subject, frame)
    before = frame.env
    ends: list[Env] = [dict(before)]
    for case in node.cases:
        if isinstance(case.pattern, ast.MatchSingleton) and known_truth(subject) is (not case.pattern.value) and case.pattern.value is not None:
            continue
        frame.env = dict(before)
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, ast.MatchAs | ast.MatchStar) and pattern.name:
                frame.env[pattern.name] = subject if pattern is case.pattern else UNKNOWN
            elif isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Constant) and isinstance(pattern.value.value, int | float):
                it.matched(pattern.value, subject, frame)
        frame.statement = node
        if case.guard is not None:
            truth_test(it, case.guard, frame, "match guard")
        if run_block(it, case.body, frame):
            ends.append(frame.env)
    return _meet(ends, frame)


def _function(it: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> bool:
    prefix = f"{frame.info.qualname}.<locals>." if frame.info else ""
    owner = frame.info.owner if frame.info else None
    frame.env[node.name] = it.decorate(Func(function_info(node, prefix, owner), None, frame), frame)
    return True


def _class(it: Interpreter, node: ast.ClassDef, frame: Frame) -> bool:
    prefix = f"{frame.info.qualname}.<locals>." if frame.info else ""
    it.built_class(node, frame)
    frame.env[node.name] = Class(class_info(node, prefix))
    return True


def _import(it: Interpreter, node: ast.Import | ast.ImportFrom, frame: Frame) -> bool:
    for name, dotted in imported_names(node, it.model.module, it.model.is_package):
        frame.env[name] = Ref(canonical(dotted))
    return True


def _delete(it: Interpreter, node: ast.Delete, frame: Frame) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.env.pop(target.id, None)
    return True


def bind(it: Interpreter, target: ast.expr, value: Value, frame: Frame) -> None:
    """Assign ``value`` to ``target``."""
    if isinstance(target, ast.Name):
        _forget_paths(frame, target.id)
        frame.env[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        _unpack(it, target.elts, value, frame)
    elif isinstance(target, ast.Starred):
        bind(it, target.value, Sequence(value, None, "list"), frame)
    elif isinstance(target, ast.Attribute):
        base = it.evaluate(target.value, frame)
        it.attribute_assigned(target, base, value, frame)
        if isinstance(base, Instance):
            attributes.store_attribute(it.stored(base.info), target.attr, value)
        path = attributes.path_of(target)
        if path is not None:
            frame.env[path] = value
    elif isinstance(target, ast.Subscript):
        _bind_item(it, target, value, frame)


def _bind_item(it: Interpreter, target: ast.Subscript, value: Value, frame: Frame) -> None:
    base = it.evaluate(target.value, frame)
    index = it.evaluate(target.slice, frame)
    it.item_assigned(target, base, index, value, frame)
    if isinstance(base, Mapping):
        keys = dict(base.keys)
        if isinstance(target.slice, ast.Constant) and isinstance(target.slice.value, str):
            keys[target.slice.value] = value
        element = value if base.element is UNKNOWN else join(base.element, value)
        it.learn(target.value, Mapping(element, tuple(keys.items())), frame)
    elif isinstance(base, Sequence) and base.type == "list":
        element = value if base.element is UNKNOWN else join(base.element, value)
        it.learn(target.value, Sequence(element, None, "list"), frame)


def _unpack(it: Interpreter, targets: list[ast.expr], value: Value, frame: Frame) -> None:
    items = items_of(value)
    star = next((i for i, target in enumerate(targets) if isinstance(target, ast.Starred)), None)
    if items is not None and star is None and len(items) == len(targets):
        for target, item in zip(targets, items, strict=True):
            bind(it, target, item, frame)
        return
    if items is not None and star is not None and len(items) >= len(targets) - 1:
        after = len(targets) - star - 1
        middle = items[star : len(items) - after]
        for target, item in zip(targets[:star], items[:star], strict=True):
            bind(it, target, item, frame)
        starred = targets[star]
        assert isinstance(starred, ast.Starred)
        element = middle[0] if middle else UNKNOWN
        for item in middle[1:]:
            element = join(element, item)
        bind(it, starred.value, Sequence(element, tuple(middle), "list"), frame)
        for target, item in zip(targets[star + 1 :], items[len(items) - after :], strict=True):
            bind(it, target, item, frame)
        return
    element = element_of(it, value, frame)
    for position, target in enumerate(targets):
        bind(it, target, sizes.item_of_sizes(value, position) if isinstance(value, Sequence) and value.type == "size" else element, frame)


def _forget_paths(frame: Frame, name: str) -> None:
    dot, bracket = name + ".", name + "["
    stale = [key for key in frame.env if key.startswith((dot, bracket))]
    for key in stale:
        del frame.env[key]


_TABLE: dict[type, Callable[..., bool]] = {
    ast.Expr: _expr,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Delete: _delete,
}
if hasattr(ast, "TryStar"):
    _TABLE[ast.TryStar] = _try
