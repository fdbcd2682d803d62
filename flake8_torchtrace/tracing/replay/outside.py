"""What traced code reads of the world: the clock, the process, the environment."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from ..paths import Watch
from .callers import Place, is_torch

_CLOCK = frozenset(
    {"time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "localtime", "gmtime", "ctime"}
)
_DATES = frozenset({"now", "utcnow", "today"})
_PROCESS = frozenset({"getpid", "urandom", "getrandom"})


class Read(NamedTuple):
    """``kind``: "clock", "process" or "environment"; ``name``: the function, or the variable."""

    kind: str
    name: str
    place: Place


@contextlib.contextmanager
def reads(watch: Watch) -> Iterator[list[Read]]:
    """The list that fills with what watched code reads of the world while the block runs."""
    found: list[Read] = []

    def note(frame: FrameType | None, kind: str, name: str) -> None:
        place = _caller(frame, watch)
        if place is not None and (read := Read(kind, name, place)) not in found:
            found.append(read)

    def on_event(frame: FrameType, event: str, arg: Any) -> None:
        if event == "c_call":
            kind = _kind(arg)
            if kind is not None:
                note(frame, kind, arg.__name__)
        elif event == "call" and frame.f_code.co_name == "__getitem__" and frame.f_globals.get("__name__") == "os":
            key = frame.f_locals.get("key")
            if isinstance(key, str):
                note(frame.f_back, "environment", key)

    before = sys.getprofile()
    sys.setprofile(on_event)
    try:
        yield found
    finally:
        sys.setprofile(before)


def _kind(function: Any) -> str | None:
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", None)
    owner = getattr(function, "__self__", None)
    if module == "time" and name in _CLOCK:
        return "clock"
    if isinstance(owner, type) and name in _DATES and owner.__module__ == "datetime":
        return "clock"
    return "process" if module == "posix" and name in _PROCESS else None


def _caller(frame: FrameType | None, watch: Watch) -> Place | None:
    while frame is not None:
        path = watch.path(frame.f_code.co_filename)
        if path is not None:
            return Place(path, frame.f_lineno, frame.f_code.co_name)
        if is_torch(frame.f_code.co_filename):
            return None
        frame = frame.f_back
    return None
