"""Whether a value is only ever looked up by the function that makes it, so that nothing of it leaves the traced code."""

from __future__ import annotations

import ast
from collections.abc import Callable

from flake8_torchtrace.source.definitions import FunctionNode
from flake8_torchtrace.source.rule import Event
from flake8_torchtrace.source.walk import walk

_ASKS = {"get", "index", "count", "add", "append", "discard", "remove", "setdefault", "pop", "keys", "values", "items"}
_MAKES = ast.Dict | ast.Set | ast.List | ast.Tuple | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def is_key_only(event: Event) -> bool:
    """`is_only_looked_up` for the call of an event."""
    info = event.frame.info
    return info is not None and isinstance(event.node, ast.expr) and is_only_looked_up(info.node, event.node)


def is_only_looked_up(function: FunctionNode, node: ast.expr) -> bool:
    """Whether the value of ``node`` is at most a key: of a dict display, a subscript, ``in`` or a method such as ``get``, of a container that
    does not leave ``function`` either."""
    return _Uses(function).is_key(node, set())


class _Uses:
    def __init__(self, function: FunctionNode) -> None:
        self._parents = {child: parent for parent in walk(function) for child in ast.iter_child_nodes(parent)}
        self._names = [node for node in self._parents if isinstance(node, ast.Name)]

    def is_key(self, node: ast.AST, seen: set[str]) -> bool:
        parent = self._parents.get(node)
        if isinstance(parent, ast.Subscript):
            return parent.slice is node and (isinstance(parent.ctx, ast.Load) or self._stays(parent.value, seen))
        if isinstance(parent, ast.Compare):
            return all(isinstance(op, ast.In | ast.NotIn) for op in parent.ops)
        if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr in _ASKS:
            return parent.func.attr in ("get", "index", "count") or self._stays(parent.func.value, seen)
        if isinstance(parent, _MAKES):
            return self._is_kept(parent, seen)
        return isinstance(parent, ast.Expr) or self._is_named(parent, node, seen, self.is_key)

    def _stays(self, container: ast.AST, seen: set[str]) -> bool:
        """Whether a container is a local name that is not handed on."""
        if not isinstance(container, ast.Name):
            return False
        if container.id in seen:
            return True
        seen.add(container.id)
        uses = [name for name in self._names if name.id == container.id and isinstance(name.ctx, ast.Load)]
        return all(self._is_kept(use, seen) for use in uses)

    def _is_kept(self, container: ast.AST, seen: set[str]) -> bool:
        parent = self._parents.get(container)
        if isinstance(parent, ast.Subscript):
            return parent.value is container
        if isinstance(parent, ast.Compare):
            return all(isinstance(op, ast.In | ast.NotIn) for op in parent.ops)
        if isinstance(parent, ast.Attribute):
            return parent.attr in _ASKS
        return isinstance(parent, ast.Expr) or self._is_named(parent, container, seen, self._is_kept)

    def _is_named(self, parent: ast.AST | None, node: ast.AST, seen: set[str], check: Callable[[ast.AST, set[str]], bool]) -> bool:
        """``name = node``, where every use of the name passes ``check``."""
        if not isinstance(parent, ast.Assign) or parent.value is not node or not all(isinstance(target, ast.Name) for target in parent.targets):
            return False
        wanted = {target.id for target in parent.targets if isinstance(target, ast.Name)} - seen
        seen |= wanted
        return all(check(name, seen) for name in self._names if name.id in wanted and isinstance(name.ctx, ast.Load))
