"""The detour around a place that a tracer refused, in code that is loaded already."""

from __future__ import annotations

import copy
import gc
import importlib
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType
from typing import Any

from ..tracing import detour
from ..tracing.paths import real_path
from .calls import Live


def step_around(places: Sequence[Mapping[str, Any]]) -> None:
    """As ``tracing.step_around``, for the functions that there are. For a process that does nothing else. Raises NoDetourError."""
    wanted = [detour.Place(**place) for place in places]
    detour.install(wanted)  # what is imported later, and what asks whether there are detours
    known = importlib.import_module(f"{detour.__package__}.known")
    gc.unfreeze()
    for path in {place.path for place in wanted}:
        with tokenize.open(path) as file:
            source = file.read()
        tree = detour.rewritten(source, [place for place in wanted if place.path == path])
        codes = dict(_codes(compile(tree, path, "exec", dont_inherit=True)))
        for function in _functions(path):
            old = function.__code__
            new = codes.get((old.co_name, old.co_firstlineno))
            if new is not None and new.co_freevars == old.co_freevars:
                function.__globals__["__torchtrace_known__"] = known
                function.__code__ = new.replace(co_filename=old.co_filename)


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for item in code.co_consts:
        if isinstance(item, CodeType):
            yield (item.co_name, item.co_firstlineno), item
            yield from _codes(item)


def _functions(path: str) -> list[FunctionType]:
    found: list[FunctionType] = []
    names: dict[str, bool] = {}
    for item in gc.get_objects():
        if type(item) is FunctionType:
            name = item.__code__.co_filename
            if name not in names:
                names[name] = real_path(name) == path
            if names[name]:
                found.append(item)
    return found


def copied(call: Live) -> Live:
    """``call`` of another module with other arguments, so that both can be made. Raises what ``deepcopy`` does."""
    memo: dict[int, Any] = {}
    for tensor in _tensors((call.args, call.kwargs)):
        memo[id(tensor)] = tensor.detach().clone().requires_grad_(tensor.requires_grad)
    return Live(copy.deepcopy(call.module, memo), copy.deepcopy(call.args, memo), copy.deepcopy(call.kwargs, memo), call.name)


def _tensors(values: Any) -> Iterable[Any]:
    from .calls import leaves

    return leaves(values)
