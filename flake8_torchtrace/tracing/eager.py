"""The run without a tracer: does the module work at all, and which lines does it take?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .lines import recording
from .paths import Watch
from .shapes import EagerResult


def describe(error: BaseException) -> str:
    """``error`` as Python would print its last line."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def outcome(call: Callable[[], object]) -> BaseException | None:
    """What ``call`` raised, if anything: SystemExit and KeyboardInterrupt of the user's code are results too."""
    try:
        call()
    except BaseException as error:
        return error
    return None


def run_eager(
    module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], is_watched: Callable[[str], bool]
) -> EagerResult:
    """See ``flake8_torchtrace.tracing.run_eager``."""
    import torch

    watch = Watch(is_watched)
    torch.manual_seed(0)
    with recording(watch) as visited:
        error = outcome(lambda: module(*args, **kwargs))
    told = None if error is None else describe(error)
    return {"ok": error is None, "error": told, "executed": watch.lines(visited), "points": watch.points(visited)}
