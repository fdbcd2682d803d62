"""Stands in for expressions the tracer refused, so that it can be asked about the code behind them.

Code rewritten by ``detour`` calls this module. While ``tracing`` is false it records what the expressions give; after
``freeze`` it gives that back in a form every tracer follows: tensors become new ones of the same shape and type, so that
nothing behind them is decided by their data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import torch

tracing = False

_Form = tuple[Any, ...]
_recorded: dict[int, list[_Form]] = {}
_forms: dict[int, tuple[_Form, ...]] = {}
_turns: dict[int, list[int]] = {}


def record(key: int, given: Any) -> Any:
    """``given``, noted as the next value of the expression ``key``."""
    _recorded.setdefault(key, []).append(_form(given))
    return given


def record_truth(key: int, given: Any) -> Any:
    """``given``, with its truth noted as the next value of ``key``: that is what the code asks for."""
    _recorded.setdefault(key, []).append(("as is", bool(given)))
    return given


def record_each(key: int, items: Iterable[Any]) -> Iterator[Any]:
    """The items of an iterable, noted together as one value: as many as are asked for."""
    seen: list[_Form] = []
    at = len(_recorded.setdefault(key, []))
    _recorded[key].append(("list", ()))
    for item in items:
        seen.append(_form(item))
        _recorded[key][at] = ("list", tuple(seen))
        yield item


def restart() -> None:
    """Forget everything."""
    global tracing
    tracing = False
    for kept in (_recorded, _forms, _turns):
        kept.clear()


def freeze() -> None:
    """From now on give back what was recorded, in the same order, and from the start again when it is used up."""
    global tracing
    tracing = True
    for key, forms in _recorded.items():
        alike = all(form[0] == "as is" and form[1] is forms[0][1] for form in forms)
        _forms[key] = (forms[0],) if alike else tuple(forms)
        _turns[key] = [0]


def value(key: int) -> Any:
    """The next value of the expression ``key``. Tracers run this."""
    forms = _forms[key]
    if len(forms) == 1:
        return _made(forms[0])
    turns = _turns[key]
    turn = turns[0]
    turns[0] = turn + 1 if turn + 1 < len(forms) else 0
    return _made(forms[turn])


def _form(given: Any) -> _Form:
    if type(given) in (torch.Tensor, torch.nn.Parameter) and given.layout is torch.strided:
        return ("tensor", tuple(given.shape), given.dtype, given.device)
    if type(given) in (list, tuple):
        return (type(given).__name__, tuple(_form(item) for item in given))
    if isinstance(given, tuple) and hasattr(given, "_fields"):
        return ("named", type(given), tuple(_form(item) for item in given))
    if type(given) is dict:
        return ("dict", tuple(given), tuple(_form(item) for item in given.values()))
    return ("as is", given)


def _made(form: _Form) -> Any:
    kind = form[0]
    if kind == "tensor":
        return torch.zeros(form[1], dtype=form[2], device=form[3])
    if kind == "list":
        return [_made(item) for item in form[1]]
    if kind == "tuple":
        return tuple([_made(item) for item in form[1]])
    if kind == "named":
        return form[1](*[_made(item) for item in form[2]])
    if kind == "dict":
        return dict(zip(form[1], [_made(item) for item in form[2]]))  # noqa: B905 -- older dynamo knows no strict
    return form[1]
