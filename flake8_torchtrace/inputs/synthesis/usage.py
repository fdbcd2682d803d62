"""What a function does with its parameters, read from its source."""

from __future__ import annotations

import ast
import functools
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_PATTERN_CALLS = ("rearrange", "reduce", "repeat", "einsum", "unpack", "pack")
_GROUP = re.compile(r"\([^)]*\)")


@dataclass
class Usage:
    """Of one parameter: the attributes read, the strings it is compared with, the ranks it is unpacked into or named with,

    the names of its dimensions where they are said, and what is done with it: ``called``, ``iterated``, ``indexed``, ``measured``.
    """

    attributes: set[str] = field(default_factory=set)
    choices: list[Any] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    dims: list[tuple[str, ...]] = field(default_factory=list)
    passed: list[tuple[str, int | str]] = field(default_factory=list)
    deeds: set[str] = field(default_factory=set)


@functools.cache
def tree_of(function: Any) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """The definition of a function, or None where it has no source."""
    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(function, "__func__", function))))).body
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    return next((node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))), None)


@functools.cache
def kept(cls: Any, name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Of a parameter of the constructor that is kept (``self.net = net``): what the class reads of it, and the keywords it calls it with."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(cls)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return frozenset(), frozenset()
    nodes = list(ast.walk(tree))
    assigned = [node for node in nodes if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name]
    places = {target.attr for node in assigned for target in node.targets if isinstance(target, ast.Attribute)}
    read = {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_place(node.value, places)}
    calls = [node for node in nodes if isinstance(node, ast.Call) and _is_place(node.func, places)]
    return frozenset(read), frozenset(keyword.arg for call in calls for keyword in call.keywords if keyword.arg)


def _is_place(node: ast.AST, places: set[str]) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in places and isinstance(node.value, ast.Name) and node.value.id == "self"


@functools.cache
def is_left_open(cls: Any) -> bool:
    """Whether the ``forward`` of a class does nothing: it is for classes made from it."""
    tree = tree_of(getattr(cls, "forward", None)) if getattr(cls, "forward", None) is not None else None
    return tree is not None and all(_is_nothing(statement) for statement in tree.body)


def _is_nothing(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Pass, ast.Raise)) or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))


@functools.cache
def usages(function: Any) -> dict[str, Usage]:
    """How a function uses each of its parameters."""
    tree = tree_of(function)
    if tree is None:
        return {}
    arguments = tree.args
    found = {argument.arg: Usage() for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    for node in sorted(ast.walk(tree), key=_position):
        for name, note in _notes(node):
            if name in found:
                note(found[name])
    return found


@functools.cache
def keywords(function: Any) -> tuple[str, ...]:
    """What a function takes out of its ``**kwargs`` by name: ``kwargs.pop("mask", None)``, ``kwargs.get("mask")``."""
    tree = tree_of(function)
    if tree is None or tree.args.kwarg is None:
        return ()
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args]
    own = [call for call in calls if call.func.attr in ("get", "pop") and _names(call.func.value) == [tree.args.kwarg.arg]]  # type: ignore[attr-defined]
    read = [call.args[0].value for call in own if isinstance(call.args[0], ast.Constant)]
    return tuple(dict.fromkeys(name for name in read if isinstance(name, str)))


def _position(node: ast.AST) -> tuple[float, float]:
    return getattr(node, "lineno", float("inf")), getattr(node, "col_offset", 0)


def usages_of_constructor(cls: Any) -> dict[str, Usage]:
    """How the constructor of a class uses its parameters; nothing where that is no class."""
    return usages(getattr(cls, "__init__")) if isinstance(cls, type) else {}  # noqa: B009 -- sound for a class


def _notes(node: ast.AST) -> Iterator[tuple[str, Any]]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield node.value.id, lambda usage: usage.attributes.add(node.attr)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        yield node.value.id, lambda usage: usage.deeds.add("indexed")
    elif isinstance(node, (ast.For, ast.comprehension)):
        for name in _names(node.iter):
            yield name, lambda usage: usage.deeds.add("iterated")
    elif isinstance(node, ast.Compare):
        yield from _of_compare(node)
    elif isinstance(node, ast.Assign):
        yield from _of_assign(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)


def _names(node: ast.AST) -> list[str]:
    """``x`` itself, or the arguments of ``zip(x, y)`` and ``enumerate(x)``."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("zip", "enumerate", "reversed"):
        return [argument.id for argument in node.args if isinstance(argument, ast.Name)]
    return []


def _of_compare(node: ast.Compare) -> Iterator[tuple[str, Any]]:
    other = node.comparators[0]
    sides = [(node.left, other), (other, node.left)]
    if isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
        yield from ((side.id, lambda usage: usage.deeds.add("ordered")) for side, _ in sides if isinstance(side, ast.Name))
    for side, against in sides:
        if isinstance(side, ast.Name):
            values = [item.value for item in ast.walk(against) if isinstance(item, ast.Constant) and isinstance(item.value, str)]
            yield side.id, lambda usage, values=values: usage.choices.extend(values)
        rank = isinstance(against, ast.Constant) and isinstance(against.value, int) and isinstance(node.ops[0], ast.Eq)
        measured = _rank_of(side)
        if rank and measured:
            yield measured, lambda usage, against=against: usage.ranks.append(against.value)


def _rank_of(node: ast.AST) -> str | None:
    """The name in ``x.ndim``, ``x.dim()``, ``len(x.shape)``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len" and node.args:
        return shape_of(node.args[0])
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute) and node.attr in ("ndim", "dim") and isinstance(node.value, ast.Name):
        return node.value.id
    return None


def shape_of(node: ast.AST) -> str | None:
    """The name in ``x.shape`` and ``x.size()``."""
    if isinstance(node, ast.Call) and not node.args:
        node = node.func
    if isinstance(node, ast.Attribute) and node.attr in ("shape", "size") and isinstance(node.value, ast.Name):
        return node.value.id
    return None


def _of_assign(node: ast.Assign) -> Iterator[tuple[str, Any]]:
    """``b, c, h, w = x.shape`` and ``b, n, d, h = *x.shape, self.heads``."""
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Tuple) or any(isinstance(item, ast.Starred) for item in target.elts):
        return
    parts: list[ast.AST] = [value]
    if isinstance(value, ast.Tuple):
        parts = list(value.elts)
    spread = [part.value if isinstance(part, ast.Starred) else part for part in parts if isinstance(part, ast.Starred) or part is value]
    names = [name for name in map(shape_of, spread) if name]
    if len(names) == 1:
        rank = len(target.elts) - (len(parts) - 1)
        dims = tuple(item.id if isinstance(item, ast.Name) else "_" for item in target.elts[:rank])
        yield names[0], lambda usage: (usage.ranks.append(rank), usage.dims.append(dims))


def _of_call(node: ast.Call) -> Iterator[tuple[str, Any]]:
    callee = node.func.id if isinstance(node.func, ast.Name) else node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if isinstance(node.func, ast.Name):
        yield node.func.id, lambda usage: usage.deeds.add("called")
    if callee in _PATTERN_CALLS:
        yield from _of_pattern(node, callee)
    for position, argument in enumerate(node.args):
        if isinstance(argument, ast.Name):
            yield argument.id, lambda usage, position=position: usage.passed.append((callee, position))
    for keyword in node.keywords:
        if isinstance(keyword.value, ast.Name) and keyword.arg:
            yield keyword.value.id, lambda usage, keyword=keyword: usage.passed.append((callee, keyword.arg))


def _of_pattern(node: ast.Call, callee: str) -> Iterator[tuple[str, Any]]:
    """``rearrange(x, 'b c (h p1) (w p2) -> ...')`` and ``einsum('b i d, b j d -> ...', q, k)``."""
    texts = [item.value for item in node.args if isinstance(item, ast.Constant) and isinstance(item.value, str) and "->" in item.value]
    if not texts:
        return
    sides = texts[0].partition("->")[0].split(",")
    tensors = [item for item in node.args if not isinstance(item, ast.Constant)]
    for side, tensor in zip(sides, tensors, strict=False):
        dims = _dims(side, spaced=callee != "einsum" or " " in side.strip())
        if isinstance(tensor, ast.Name) and dims:
            yield tensor.id, lambda usage, dims=dims: (usage.ranks.append(len(dims)), usage.dims.append(dims))


def _dims(side: str, spaced: bool) -> tuple[str, ...]:
    """The names of the dimensions on one side of a pattern; empty where ``...`` stands for any number of them."""
    if "..." in side or "*" in side:
        return ()
    whole = _GROUP.sub(lambda group: group.group().replace(" ", "*"), side.strip())
    return tuple(whole.split()) if spaced else tuple(whole)
