"""The lines that run, in order, and where two runs part ways."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Iterator, Sequence
from types import FrameType
from typing import Any

from ..paths import Watch
from .callers import Place

_MOST = 100_000


@contextlib.contextmanager
def trail(watch: Watch) -> Iterator[list[Place]]:
    """The list that fills with the watched lines in the order in which they run, up to a limit."""
    found: list[Place] = []

    def on_event(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line" and len(found) < _MOST:
            found.append(Place(watch.path(frame.f_code.co_filename) or "", frame.f_lineno, frame.f_code.co_name))
        return on_event

    def on_call(frame: FrameType, event: str, arg: object) -> Any:
        return None if watch.path(frame.f_code.co_filename) is None else on_event

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield found
    finally:
        sys.settrace(before)


def fork_of(one: Sequence[Place], other: Sequence[Place]) -> Place | None:
    """The last line that two runs share before they take different ways; None if they are the same."""
    for at, (mine, theirs) in enumerate(zip(one, other, strict=False)):
        if mine != theirs:
            return one[at - 1] if at else None
    if len(one) == len(other):
        return None
    return (one if len(one) < len(other) else other)[-1] if one and other else None


def left_at(eager: Sequence[Place], traced: dict[str, list[int]]) -> Place | None:
    """The line after which a tracer, which passed ``traced``, left the way that ``eager`` took; None if it took the same."""
    lines = {(path, line) for path, found in traced.items() for line in found}
    for before, place in itertools.pairwise(eager):
        if (place.path, place.line) not in lines and (before.path, before.line) in lines:
            return before
    return None
