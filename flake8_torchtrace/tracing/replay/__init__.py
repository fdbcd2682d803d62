"""What export loses without a word: a module and its exported program over the same calls, in forks of this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..shapes import Lines, ReplayResult

__all__ = ["replay"]

Build = Callable[[], tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]]


def replay(targets: Sequence[str], build: Build, is_watched: Callable[[str], bool], executed: Lines, traced: Mapping[str, Lines]) -> ReplayResult:
    """Compare what ``build`` makes with its exported program, for each of ``targets`` (exports that accepted it), over three calls.

    ``executed`` holds the lines of watched files that an eager call ran, ``traced`` for each target those that the tracer passed.
    """
    from .bench import replay as run

    return run(targets, build, is_watched, executed, traced)
