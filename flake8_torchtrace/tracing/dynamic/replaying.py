"""A module and the program exported from it, called with the same inputs of other sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..eager import describe, outcome
from .comparing import difference
from .exporting import Names, Traced
from .falsifying import is_false
from .leaves import Call, Size, call_of, elements
from .results import CauseDict, Effect, Place, ReplayDict

Build = Callable[[], tuple[Callable[..., Any], Any, Any]]
MOST_ELEMENTS = 2**25


@dataclass
class Answer:
    """What a call gave: a result, or an error in words."""

    result: Any = None
    error: str | None = None


@dataclass
class Eager:
    """Fresh modules called with other sizes; each size is tried once."""

    build: Build
    _known: dict[tuple[tuple[int, Size], ...], Answer] = field(default_factory=dict)

    def answer(self, sizes: Mapping[int, Size]) -> Answer:
        """What the module gives for inputs of ``sizes`` (by index of the leaf)."""
        key = tuple(sorted(sizes.items()))
        if key not in self._known:
            function, args, kwargs = self.build()
            self._known[key] = called(function, call_of(function, args, kwargs).resized(sizes))
        return self._known[key]


def called(function: Callable[..., Any], call: Call) -> Answer:
    """Call ``function`` as every call here is: with the same random numbers, and no gradients."""
    import torch

    found: list[Any] = []
    torch.manual_seed(0)
    error = outcome(lambda: found.append(function(*call.args, **call.kwargs)))
    return Answer(found[0]) if error is None else Answer(error=first_line(describe(error)))


def _compared(eager: Answer, program: Callable[[], Any], call: Call) -> tuple[Effect, bool, str | None]:
    """Effect, whether the program took the call, and why the effect is none of ``same``: see ``results.ReplayDict``."""
    made: list[Any] = []
    refusal = outcome(lambda: made.append(program()))
    answer = called(made[0], call) if refusal is None else Answer(error=describe(refusal))
    if eager.error is not None:
        return "eager-refuses", answer.error is None, eager.error
    if answer.error is not None:
        return "refused", False, answer.error
    told = difference(eager.result, answer.result)
    return ("differs" if told else "same"), True, told


def _too_large(call: Call, sizes: Mapping[int, Size]) -> str | None:
    """Why inputs of these sizes are not tried."""
    count = elements(sizes.get(leaf.index, leaf.size) for leaf in call.leaves())
    return f"not tried: {count} numbers in the inputs" if count > MOST_ELEMENTS else None


def places(hint: int, lower: int, upper: int | None) -> list[tuple[Place, int]]:
    """Sizes to try of a dimension that may go from ``lower`` to ``upper``, other than ``hint``: its ends, sizes between, one outside each end."""
    first: dict[int, Place] = {lower: "min"}
    if upper is not None:
        first.setdefault(upper, "max")
    for size in (2 * hint, hint + 1):
        if upper is None or size < upper:
            first.setdefault(size, "inside")
    if lower > 1:
        first[lower - 1] = "below"
    if upper is not None:
        first[upper + 1] = "above"
    return [(place, size) for size, place in first.items() if size not in (hint, 0)]


def replay(
    found: Traced, names: Names, eager: Eager, place: Place, wanted: dict[int, tuple[int, ...]], cause: CauseDict | None = None
) -> ReplayDict:
    """The program called with ``wanted`` sizes, against a fresh module."""
    given = {leaf.index: leaf for leaf in found.call.leaves()}
    told = {
        names.name(index, dim): new
        for index, size in wanted.items()
        for dim, (old, new) in enumerate(zip(given[index].size, size, strict=True))
        if old != new
    }
    large = _too_large(found.call, wanted)
    if large:
        return {"place": place, "sizes": told, "effect": "untried", "accepted": False, "why": large, "cause": cause}
    call = found.call.resized(wanted)
    effect, accepted, why = _compared(eager.answer(wanted), found.module, call)
    if effect == "refused" and cause is None:
        cause = _condition(found, names, wanted)
    return {"place": place, "sizes": told, "effect": effect, "accepted": accepted, "why": why, "cause": cause}


def _condition(found: Traced, names: Names, wanted: Mapping[int, Size]) -> CauseDict | None:
    """The first condition of the export that does not hold for these sizes, if possible one with a place."""
    given = {leaf.index: leaf.size for leaf in found.call.leaves()} | dict(wanted)
    values = {symbol: given[index][dim] for symbol, [(index, dim), *_] in names.dims.items()}
    broken = [guard for guard, _ in found.guards() if is_false(guard.expression, values)]
    chosen = next((guard for guard in broken if guard.stack), broken[0] if broken else None)
    return None if chosen is None else {"text": names.text(chosen.expression), "stack": chosen.stack}


def first_line(text: str) -> str:
    """The first line of a message that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), text)
