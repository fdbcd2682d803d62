"""One export with dimensions that may vary, and what torch decided about each."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..eager import outcome
from ..paths import Watch
from ..targets import as_module
from .events import Environment, Events, Guard, listening
from .leaves import Call, Leaf, call_of
from .results import CauseDict, DimDict
from .specs import Spec, for_torch
from .words import listening_to_words, spoken_of

_SIZE = re.compile(r"(.+)\.size\(\)\[(\d+)\]")
_FLAT = re.compile(r"L\['flat_args'\]\[(\d+)\]")
_MODULO = re.compile(r"Mod\(([^(),]+), ([^(),]+)\)")
_UNLIMITED = 2**40


@dataclass
class Traced:
    """``program`` or the ``error`` that there is in its place; ``decided`` is None if torch made no symbol."""

    call: Call
    program: Any
    error: BaseException | None
    decided: Environment | None
    said: list[str]
    _module: Any = None

    def module(self) -> Any:
        """The program as a module, a new one for each call if calls change it."""
        if self._module is None or self.program.graph_signature.buffers_to_mutate:
            self._module = self.program.module()
        return self._module

    def guards(self) -> Iterator[tuple[Guard, Any]]:
        """The conditions on sizes, each with what it says of the symbols that are left once some have become others."""
        for guard in self.decided.guards if self.decided is not None else ():
            yield guard, self.resolved(guard.expression)

    def resolved(self, expression: Any) -> Any:
        """``expression`` in the symbols that are left."""
        replaced = dict(self.decided.env.replacements) if self.decided is not None else {}
        for _ in replaced:
            made = expression.xreplace(replaced)
            if made == expression:
                break
            expression = made
        return expression


def traced(function: Callable[..., Any], call: Call, spec: Spec, strict: bool, watch: Watch) -> Traced:
    """Export ``function`` with the dimensions of ``spec``."""
    import torch
    import torch.export

    events, programs = Events(watch), list[Any]()
    module = as_module(function)
    wanted = for_torch(spec, call_of(module, call.args, call.kwargs))
    torch.manual_seed(0)
    with listening(events), listening_to_words() as said:
        error = outcome(
            lambda: programs.append(
                torch.export.export(module, call.args, call.kwargs or None, dynamic_shapes=wanted, strict=strict)
            )
        )
    return Traced(call, programs[0] if programs else None, error, events.last(), said)


def shapes_of(program: Any) -> dict[int, tuple[Any, ...]]:
    """The sizes of the program's inputs by the index of the leaf: ints, and sympy expressions of symbols."""
    import torch

    values = {node.name: node.meta.get("val") for node in program.graph.nodes if node.op == "placeholder"}
    found = {}
    for index, name in enumerate(program.graph_signature.user_inputs):
        value = values.get(name) if isinstance(name, str) else None
        if isinstance(value, torch.Tensor):
            found[index] = tuple(_expression(size) for size in value.shape)
    return found


def range_of(program: Any, expression: Any) -> tuple[int | None, int | None]:
    """The sizes that ``expression`` may take by torch's account, None where there is no limit."""
    ranges = {symbol: program.range_constraints[symbol] for symbol in expression.free_symbols if symbol in program.range_constraints}
    if expression in ranges:
        return _limit(ranges[expression].lower), _limit(ranges[expression].upper)
    from torch.utils._sympy.value_ranges import bound_sympy

    bound = bound_sympy(expression, ranges)
    return _limit(bound.lower), _limit(bound.upper)


class Names:
    """What the sizes that torch made symbols of are called: ``x.shape[0]``."""

    def __init__(self, call: Call, decided: Environment | None) -> None:
        self._leaves = {leaf.index: leaf for leaf in call.leaves()}
        self._call = call
        self.dims: dict[Any, list[tuple[int, int]]] = {}
        for symbol, sources in (decided.sources if decided is not None else {}).items():
            for source in sources:
                place = self._place(source)
                if place is not None:
                    self.dims.setdefault(symbol, []).append(place)

    def symbol(self, index: int, dim: int) -> Any:
        """The symbol of a dimension, None if it has none."""
        return next((symbol for symbol, places in self.dims.items() if (index, dim) in places), None)

    def text(self, expression: Any) -> str:
        """``expression`` with sizes by name."""
        words = {str(symbol): self.name(*places[0]) for symbol, places in self.dims.items()}
        plain = _MODULO.sub(r"\1 % \2", _plain(expression))
        return re.sub(r"\b[su]\d+\b", lambda match: words.get(match.group(0), match.group(0)), plain)

    def name(self, index: int, dim: int) -> str:
        """A dimension as Python code."""
        return f"{self._leaves[index].name}.shape[{dim}]"

    def _place(self, source: str) -> tuple[int, int] | None:
        match = _SIZE.fullmatch(source)
        if match is None:
            return None
        flat = _FLAT.fullmatch(match.group(1))
        index = int(flat.group(1)) if flat else self._index(match.group(1))
        return None if index is None or index not in self._leaves else (index, int(match.group(2)))

    def _index(self, source: str) -> int | None:
        """The leaf that torch's spelling of an input names, found by looking it up among the arguments."""
        call, flat = self._call, self._call.flat()
        for args in (call.args, (call.args, call.kwargs)):  # the second is what non-strict export of torch 2.7 calls args
            with contextlib.suppress(Exception):  # a spelling that is no Python: the size then has no name
                value = eval(source, {"L": {**call.parameters, "args": args, "kwargs": call.kwargs}})
                found = next((index for index, item in enumerate(flat) if item is value), None)
                if found is not None:
                    return found
        return None


def dims_of(found: Traced, spec: Spec, names: Names) -> list[DimDict]:
    """Every dimension of every input tensor."""
    shapes = shapes_of(found.program)
    result: list[DimDict] = []
    for leaf in found.call.leaves():
        for dim, size in enumerate(leaf.size):
            made = shapes.get(leaf.index, leaf.size)[dim]
            result.append(_dim(found, leaf, dim, size, made, spec.get(leaf.index, {}), names))
    return result


def _dim(found: Traced, leaf: Leaf, dim: int, size: int, made: Any, asked: Mapping[int, Any], names: Names) -> DimDict:
    item: DimDict = {
        "input": leaf.name, "dim": dim, "size": size, "state": "static", "name": asked.get(dim, {}).get("name"),
        "expression": None, "lower": size, "upper": size, "cause": None, "told": None, "accepts": [], "refuses": [],
    }  # fmt: skip
    if not isinstance(made, int):
        lower, upper = range_of(found.program, made)
        item |= {"state": "symbolic", "expression": names.text(made), "lower": lower, "upper": upper}
    elif dim in asked:
        cause = cause_of_fixing(found.decided, names, leaf.index, dim)
        item |= {"state": "specialised", "cause": cause, "told": spoken_of(found.said, leaf, dim)}
    return item


def cause_of_fixing(decided: Environment | None, names: Names, index: int, dim: int) -> CauseDict | None:
    """What made a number of a dimension; None if torch never made a symbol of it (sizes 0 and 1)."""
    symbol = names.symbol(index, dim)
    for _ in range(len(decided.fixed) if decided is not None and symbol is not None else 0):
        assert decided is not None
        event = next((item for item in reversed(decided.fixed) if item.symbol == symbol), None)
        if event is None:
            return None
        if not event.target.free_symbols:
            first = next(item for item in decided.fixed if item.symbol == symbol and item.target == event.target)
            return {"text": f"{names.text(symbol)} == {event.target}", "stack": first.stack}
        symbol = sorted(event.target.free_symbols, key=str)[0]
    return None


def _plain(expression: Any) -> str:
    """A sympy expression as Python code, as far as that is easy."""
    if getattr(expression, "is_Relational", False):
        return f"{expression.lhs} {expression.rel_op} {expression.rhs}"
    return str(expression)


def _expression(size: Any) -> Any:
    if isinstance(size, int):
        return size
    expression = size.node.expr
    return int(expression) if expression.is_Integer else expression


def _limit(bound: Any) -> int | None:
    try:
        number = int(bound)
    except (OverflowError, TypeError, ValueError, AttributeError):  # int_oo, oo
        return None
    return number if abs(number) < _UNLIMITED else None
