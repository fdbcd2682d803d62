"""The arguments of a call as a rule sees them: their values, their source, and whether they come straight from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.rule import Event
from flake8_torchtrace.source.values import Sequence, Tensor, Value
from flake8_torchtrace.source.walk import walk

Key = int | str
"""The position of an argument, or its keyword."""


def arguments(event: Event) -> Iterator[tuple[Key, Value]]:
    """The arguments of a call. What follows ``*args`` has no known position and is left out."""
    for position, value in enumerate(event.args):
        if isinstance(value, Sequence) and value.type == "*":
            break
        yield position, value
    yield from ((name, value) for name, value in event.keywords.items() if name != "**")


def is_proven(value: Value | None) -> bool:
    """Whether this is a tensor although it stands where a number belongs: of a parameter more must show it than its place or use."""
    if not isinstance(value, Tensor) or not value.sure:
        return False
    origin = "" if value.origin is None else value.origin[0]
    if value.is_scalar:
        return True
    return not origin.startswith("numpy.") and (value.is_computed or not origin.startswith(("parameter ", "the use of ")))


def ast_argument(event: Event, key: Key) -> ast.expr | None:
    """The source of an argument as ``ast`` has it; None where it does not stand in the call by itself (``*args``)."""
    call = event.node
    if not isinstance(call, ast.Call):
        return None
    if isinstance(key, str):
        return next((keyword.value for keyword in call.keywords if keyword.arg == key), None)
    is_exact = not any(isinstance(argument, ast.Starred) for argument in call.args[: key + 1])
    return call.args[key] if key < len(call.args) and is_exact else None


def ast_receiver(event: Event) -> ast.expr | None:
    """The source of what a method is called on."""
    call = event.node
    return call.func.value if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) else None


def is_plain_input(frame: Frame, node: ast.expr | None) -> bool:
    """Whether ``node`` is what the caller of the module passes in, or a buffer: a parameter of the entry point or an attribute of ``self``
    that the function never assigns.

    Torch knows the number in a 0-d int tensor that is an input of the graph (``item_memo`` in ``torch/_subclasses/fake_tensor.py``).
    """
    function = None if frame.info is None else frame.info.node
    if function is None or isinstance(function, ast.Lambda) or not isinstance(node, ast.Name | ast.Attribute):
        return False
    spec = function.args
    names = [parameter.arg for parameter in (*spec.posonlyargs, *spec.args, *spec.kwonlyargs)]
    if isinstance(node, ast.Name):
        is_input = node.id in names and len(frame.chain) <= 1
    else:
        is_input = bool(names) and isinstance(node.value, ast.Name) and node.value.id == names[0] == "self"
    if not is_input:
        return False
    text = ast.unparse(node)
    return not any(
        isinstance(inner, ast.Name | ast.Attribute) and isinstance(inner.ctx, ast.Store) and ast.unparse(inner) == text for inner in walk(function)
    )


def counts_with_input(event: Event, tensor: ast.expr | None) -> bool:
    """Whether the number drawn from ``tensor`` only counts or selects (``range``, an index), and torch knows it: with fullgraph=True a number
    read from an input of the graph is that of the example."""
    is_counting = all(isinstance(node, ast.Call | ast.Subscript) for node in event.decides)
    return bool(event.decides) and is_counting and is_plain_input(event.frame, tensor)
