"""One try of a draft: build, call once, and what is known of a failure."""

from __future__ import annotations

import contextlib
import signal
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType, TracebackType
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook

from ..build import seed
from .draft import Draft, namespace
from .executed import Executed
from .watching import Watching

_PATIENCE = 2


class TooLongError(BaseException):
    """The try took too long. No ``Exception``, so that the code under test does not catch it."""


@dataclass
class Attempt:
    """``module`` is None where building failed. ``error`` is None where all went well.

    ``inputs`` are the arguments as objects. ``entered`` names the classes of modules, with their bases, that were called.
    ``progress`` says how far it came: building or calling, then how many functions of torch came through. ``executed`` are the lines that
    the call ran of the file it was asked of.
    """

    draft: Draft
    module: Any = None
    inputs: dict[str, Any] = field(default_factory=dict)
    error: BaseException | None = None
    watching: Watching | None = None
    progress: tuple[int, int] = (0, 0)
    entered: frozenset[str] = frozenset()
    executed: frozenset[int] = frozenset()

    @property
    def frames(self) -> list[tuple[FrameType, int]]:
        """The frames of the failure with their lines, outermost first."""
        found: list[tuple[FrameType, int]] = []
        trace: TracebackType | None = self.error.__traceback__ if self.error is not None else None
        while trace is not None:
            found.append((trace.tb_frame, trace.tb_lineno))
            trace = trace.tb_next
        return found


def build(draft: Draft, limit: float) -> Attempt:
    """Make the module of a draft."""
    attempt = Attempt(draft)
    watching = Watching({})
    try:
        with _limited(limit), _quiet():
            seed()
            with watching:
                made = eval(draft.module.text, namespace(draft.names()))
            attempt.module = made.train(draft.trains) if isinstance(made, torch.nn.Module) else made
            attempt.progress = (1, 0)
    except BaseException as error:
        attempt.error, attempt.watching, attempt.progress = error, watching, (0, watching.count)
    return attempt


def call(draft: Draft, module: Any, limit: float, path: str = "") -> Attempt:
    """Call ``module``, freshly built, with the arguments of a draft; ``path``: of which file lines are kept."""
    attempt = Attempt(draft, module)
    try:
        with _quiet():
            names = namespace(draft.names())
            seed()
            attempt.inputs = {name: eval(value.text, names) for name, value in draft.arguments.items()}
    except BaseException as error:
        attempt.error = error
        return attempt
    attempt.watching = Watching(attempt.inputs)
    positional = [attempt.inputs[name] for name in draft.positional]
    keywords = {name: value for name, value in attempt.inputs.items() if name not in draft.positional}
    entered: set[str] = set()
    hook = register_module_forward_pre_hook(lambda called, given: entered.update(base.__name__ for base in type(called).__mro__))
    executed = Executed(path) if path else None
    try:
        with _limited(limit), _quiet(), attempt.watching, executed or contextlib.nullcontext():
            torch.manual_seed(0)
            module(*positional, **keywords)
    except BaseException as error:
        attempt.error = error
    finally:
        hook.remove()
    attempt.entered = frozenset(entered)
    attempt.executed = frozenset(executed.lines) if executed is not None else frozenset()
    attempt.progress = (1, attempt.watching.count)
    return attempt


@contextlib.contextmanager
def _limited(seconds: float) -> Iterator[None]:
    def over(number: int, frame: Any) -> None:
        raise TooLongError(f"took longer than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, over), signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, 0.01))  # a machine that has other things to do must not change what is found
    signal.setitimer(signal.ITIMER_REAL, max(_PATIENCE * seconds, 0.01))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGPROF, before[0])
        signal.signal(signal.SIGALRM, before[1])


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
