"""What decides whether a line of a file runs: the tests around it, those that leave before it, and where its function is called."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

_DEEPEST = 3
_MOST_NAMES = 40
_MOST_CALLERS = 6
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


@dataclass
class Deciders:
    """``names`` that the tests read, or that what they read is assigned from: the nearest first. ``constants``: what a name is compared with."""

    names: list[str] = field(default_factory=list)
    constants: dict[str, list[Any]] = field(default_factory=dict)


class Deciding:
    """Of the file with the text ``source``. Raises SyntaxError."""

    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._calls: dict[str, list[int]] = {}
        self._assigned: dict[str, list[tuple[int, ast.expr]]] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Call) and _name(node.func):
                self._calls.setdefault(_name(node.func), []).append(node.lineno)
            for name, value in _assignments(node):
                self._assigned.setdefault(name, []).append((value.lineno, value))

    def nearness(self, line: int, executed: frozenset[int], depth: int = 0) -> tuple[int, int]:
        """How near a call that ran ``executed`` came to ``line``; larger is nearer."""
        chain = self._chain(line)
        function = _function(chain)
        if function is None or executed.intersection(range(function.body[0].lineno, (function.end_lineno or line) + 1)):
            inside = chain[chain.index(function) + 1 :] if function is not None else chain
            passed = max((other for other in executed if function is not None and function.lineno < other <= line), default=0)
            return 100 + sum(getattr(node, "lineno", 0) in executed for node in inside), passed
        if depth >= _DEEPEST:
            return 0, 0
        found = [self.nearness(call, executed, depth + 1) for call in self._callers(function)]
        nearest = max(found, default=(0, 0))
        return nearest[0] // 2, nearest[1]

    def deciders(self, lines: Iterable[int], executed: frozenset[int]) -> Deciders:
        """What decides whether any of ``lines`` runs, where ``executed`` did."""
        found = Deciders()
        for line in lines:
            self._decide(line, executed, found, 0)
        return found

    def _decide(self, line: int, executed: frozenset[int], found: Deciders, depth: int) -> None:
        chain = self._chain(line)
        function = _function(chain)
        inside = chain[chain.index(function) :] if function is not None else chain
        scope = next((node for node in chain if isinstance(node, ast.ClassDef)), function or self._tree)
        tests = [test for node, child in reversed(list(zip(inside, [*inside[1:], None], strict=True))) for test in _tests(node, child)]
        for test in tests:
            _gather(test, found)
        for name in [name for test in tests for name in _names(test)]:
            self._follow(name, scope, found, 0)
        is_entered = function is None or executed.intersection(range(function.body[0].lineno, (function.end_lineno or line) + 1))
        if function is not None and not is_entered and depth < _DEEPEST:
            for call in self._callers(function):
                self._decide(call, executed, found, depth + 1)

    def _follow(self, name: str, scope: ast.AST, found: Deciders, depth: int) -> None:
        """Note what a name is assigned from inside of ``scope``."""
        if depth >= _DEEPEST or len(found.names) >= _MOST_NAMES:
            return
        for line, value in self._assigned.get(name, ()):
            if not getattr(scope, "lineno", 0) <= line <= getattr(scope, "end_lineno", line):
                continue
            fresh = [other for other in _names(value) if other not in found.names]
            _gather(value, found)
            for other in fresh:
                self._follow(other, scope, found, depth + 1)

    def _callers(self, function: _Function) -> list[int]:
        inside = range(function.lineno, (function.end_lineno or function.lineno) + 1)
        return [line for line in self._calls.get(function.name, []) if line not in inside][:_MOST_CALLERS]

    def _chain(self, line: int) -> list[ast.AST]:
        """The statements around ``line``, outermost first, with that at the line."""
        chain: list[ast.AST] = []
        waiting: list[ast.AST] = list(self._tree.body)
        while waiting:
            node = waiting.pop(0)
            first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))]) if hasattr(node, "lineno") else line
            if first <= line <= getattr(node, "end_lineno", line):
                chain.append(node)
                waiting = [child for block in _BLOCKS for child in getattr(node, block, ())]
        return chain


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.NamedExpr)) else []
    value = getattr(node, "value", None)
    if value is not None:
        yield from ((name, value) for target in targets for name in map(_name, _flat(target)) if name)


def _function(chain: Sequence[ast.AST]) -> _Function | None:
    return next((node for node in reversed(chain) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))), None)


def _tests(node: ast.AST, child: ast.AST | None) -> Iterator[ast.expr]:
    """The tests in ``node`` that decide whether its ``child`` runs; without one, whether all of it does."""
    if child is None:
        for part in ast.walk(node) if not any(hasattr(node, block) for block in _BLOCKS) else ():
            if isinstance(part, ast.IfExp):
                yield part.test
            elif isinstance(part, ast.BoolOp):
                yield from part.values[:-1]
        return
    for block in _BLOCKS:
        statements = getattr(node, block, None)
        if isinstance(statements, list) and child in statements:
            for before in reversed(statements[: statements.index(child)]):
                if isinstance(before, ast.If) and any(isinstance(item, _LEAVES) for part in (before.body, before.orelse) for item in part[-1:]):
                    yield before.test
    if isinstance(node, (ast.If, ast.While)):
        yield node.test
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        yield node.iter
    elif isinstance(node, ast.Match):
        yield node.subject


def _gather(test: ast.expr, found: Deciders) -> None:
    for name in _names(test):
        if name not in found.names:
            found.names.append(name)
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            constants = [item.value for side in sides for item in ast.walk(side) if isinstance(item, ast.Constant)]
            for name in {_name(side) for side in sides} - {""}:
                found.constants.setdefault(name, []).extend(value for value in constants if isinstance(value, (str, int, float)))


def _names(node: ast.AST) -> list[str]:
    """Every name and attribute that is read, in order; without ``self``."""
    found = [_name(item) for item in ast.walk(node) if isinstance(item, (ast.Name, ast.Attribute))]
    return [name for name in dict.fromkeys(found) if name != "self"]


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _flat(target: ast.AST) -> list[ast.AST]:
    return [item for part in target.elts for item in _flat(part)] if isinstance(target, (ast.Tuple, ast.List)) else [target]
