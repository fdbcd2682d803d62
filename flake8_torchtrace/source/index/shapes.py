"""The outline of a class: enough to know, from another file, what its bases are and where an attribute is to be looked up."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.names import dotted_of
from flake8_torchtrace.source.walk import walk

_REGISTERS = {"register_buffer", "register_parameter"}


@dataclass(frozen=True)
class Shape:
    """``bases``: dotted names as the file resolves them; ``methods``: name to ``method``, ``property``, ``static`` or ``class``;
    ``attributes``: what its methods set on ``self`` and its body binds; ``classes``: those inside it; ``fields``: annotated names, in order;
    ``torch``: its file imports torch."""

    bases: tuple[str, ...]
    methods: dict[str, str]
    attributes: frozenset[str]
    classes: tuple[str, ...]
    fields: tuple[str, ...]
    torch: bool

    def to_json(self) -> Any:
        """As JSON."""
        return [list(self.bases), self.methods, sorted(self.attributes), list(self.classes), list(self.fields), int(self.torch)]

    @staticmethod
    def from_json(data: Any) -> Shape:
        """From JSON."""
        return Shape(tuple(data[0]), data[1], frozenset(data[2]), tuple(data[3]), tuple(data[4]), bool(data[5]))


def shape_of(it: Interpreter, info: ClassInfo) -> Shape:
    """The shape of a class of the file that ``it`` reads."""
    attributes = {*info.assigned, *info.annotated, *info.inner}
    for method in info.methods.values():
        attributes.update(_set_on_self(method))
    return Shape(
        tuple(_base_name(it, base) for base in info.bases),
        {name: _kind(it, method) for name, method in info.methods.items()},
        frozenset(attributes - set(info.methods)),
        tuple(info.inner),
        tuple(info.annotated),
        it.model.imports_torch,
    )


def _base_name(it: Interpreter, base: ast.expr) -> str:
    node = base.value if isinstance(base, ast.Subscript) else base
    own = dotted_of(node)
    if own is not None and own.partition(".")[0] in it.model.classes:
        return f"{it.model.module}.{own}"
    return it.resolve(node, None) or own or ""


def _kind(it: Interpreter, method: FunctionInfo) -> str:
    from flake8_torchtrace.source.attributes import decorator_names

    names = decorator_names(it, method)
    if names & {"property", "cached_property", "abstractproperty", "lazy_property"}:
        return "property"
    if "staticmethod" in names:
        return "static"
    return "class" if "classmethod" in names else "method"


def _set_on_self(method: FunctionInfo) -> set[str]:
    arguments = method.node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    if not positional:
        return set()
    own = positional[0].arg
    found: set[str] = set()
    for node in walk(method.node):
        if isinstance(node, ast.Attribute):
            if isinstance(node.ctx, ast.Store) and isinstance(node.value, ast.Name) and node.value.id == own:
                found.add(node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _REGISTERS:
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                found.add(first.value)
    return found


def linearize(own: str, bases: list[list[str]]) -> list[str]:
    """The method resolution order of ``own`` from those of its bases (C3); depth first where the bases contradict each other."""
    waiting = [list(order) for order in (*bases, [order[0] for order in bases if order]) if order]
    result = [own]
    while waiting:
        head = next((order[0] for order in waiting if not any(order[0] in other[1:] for other in waiting)), waiting[0][0])
        result.append(head)
        waiting = [rest for order in waiting if (rest := [name for name in order if name != head])]
    return result
