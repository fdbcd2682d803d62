"""The run without a tracer: does the module work at all, and which lines does it take?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .lines import LineRecorder
from .paths import Watch
from .shapes import EagerResult


def describe(error: BaseException) -> str:
    """``error`` as Python would print its last line."""
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def run_eager(
    module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], is_watched: Callable[[str], bool]
) -> EagerResult:
    """See ``flake8_torchtrace.tracing.run_eager``."""
    import torch

    watch = Watch(is_watched)
    recorder = LineRecorder(watch)
    problem: str | None = None
    torch.manual_seed(0)
    try:
        with recorder:
            module(*args, **kwargs)
    except BaseException as error:  # SystemExit and KeyboardInterrupt of the user's code are results too
        problem = describe(error)
    return {"ok": problem is None, "error": problem, "executed": watch.lines(recorder.visited)}
