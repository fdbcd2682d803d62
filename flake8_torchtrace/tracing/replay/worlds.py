"""Whether a value of the outside world is baked into an exported program: export it again in a world where that value is another."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from . import leaves
from .apart import ApartError, apart
from .bench import Bench
from .callers import Place
from .export import exported, nodes_of

Node = tuple[str, Place | None]


def nodes_in(bench: Bench, target: str, change: Callable[[Any], object]) -> list[Node]:
    """The graph of an export after ``change``, which gets the module; empty where there the export fails."""

    def run() -> list[Node]:
        module, args, kwargs = bench.build()
        leaves.seed()
        change(module)
        return nodes_of(exported(target, module, *leaves.copied(args, kwargs)), bench.watch)

    try:
        return apart(run)
    except ApartError:
        return []


def differing(one: list[Node], other: list[Node]) -> list[Node]:
    """The nodes of ``one`` that ``other`` does not have at the same place."""
    return [mine for at, mine in enumerate(one) if at >= len(other) or other[at][0] != mine[0]]


def other_clock(module: Any) -> None:
    """Some years later."""
    import time

    for name in ("time", "monotonic", "perf_counter", "process_time"):
        setattr(time, name, _later(getattr(time, name), 1e8))
    for name in ("time_ns", "monotonic_ns", "perf_counter_ns"):
        setattr(time, name, _later(getattr(time, name), 10**17))


def other_random(module: Any) -> None:
    """Other states of the generators of Python and numpy."""
    import random

    random.seed(leaves.SEED + 1)
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed(leaves.SEED + 1)


def other_variable(name: str) -> Callable[[Any], None]:
    """Another value of an environment variable."""

    def change(module: Any) -> None:
        before = os.environ.get(name, "0")
        os.environ[name] = str(int(before) + 1) if before.lstrip("-").isdigit() else f"{before}1"

    return change


def same(module: Any) -> None:
    """Nothing changes but the time."""


def _later(clock: Any, by: Any) -> Any:
    return lambda: clock() + by
