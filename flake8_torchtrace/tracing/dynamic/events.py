"""What torch decides about sizes while it traces, and where in the user's code it does.

Listens at three methods of ``torch.fx.experimental.symbolic_shapes.ShapeEnv``, private but there since torch 2.2:
``create_symbol`` (a size becomes a symbol), ``_log_guard`` (a condition is put) and ``_set_replacement`` (a symbol becomes a
number or another symbol).
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..paths import Watch, torch_folder
from ..seams import replaced
from ..stacks import Stack, above, from_summaries, innermost_watched

SEAMS = ("create_symbol", "_log_guard", "_set_replacement")


@dataclass(frozen=True)
class Guard:
    """A condition on sizes, as a sympy expression."""

    expression: Any
    stack: Stack


@dataclass(frozen=True)
class Fixed:
    """``symbol`` became ``target``, a number or an expression of other symbols."""

    symbol: Any
    target: Any
    stack: Stack


@dataclass
class Environment:
    """The decisions of one ``ShapeEnv``. ``sources`` are torch's spellings of what a symbol is the size of (``L['x'].size()[0]``)."""

    env: Any
    sources: dict[Any, list[str]] = field(default_factory=dict)
    guards: list[Guard] = field(default_factory=list)
    fixed: list[Fixed] = field(default_factory=list)


class Events:
    """All environments of a trace, in order: dynamo makes a new one when it starts again."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self._known: dict[int, Environment] = {}

    @property
    def environments(self) -> list[Environment]:
        """Those in which something was decided."""
        return list(self._known.values())

    def of(self, env: Any) -> Environment:
        """The record of one ``ShapeEnv``."""
        return self._known.setdefault(id(env), Environment(env))

    def last(self) -> Environment | None:
        """The record of the last ``ShapeEnv`` that has symbols."""
        return next((item for item in reversed(self.environments) if item.sources), None)

    def here(self) -> Stack:
        """The user's frames at this moment: dynamo's own notion of them where it traces, else those that Python runs."""
        from torch._guards import TracingContext

        traced = from_summaries(TracingContext.extract_stack())
        if innermost_watched(traced, self._watch):
            return traced
        live = _until_torch(above(sys._getframe(2)))
        return live if innermost_watched(live, self._watch) else traced or live


def _until_torch(stack: Stack) -> Stack:
    """``stack`` without the frames of torch that the last of the user's led to."""
    last = max((at for at, frame in enumerate(stack) if not frame["path"].startswith(torch_folder())), default=-1)
    return stack[: last + 1]


def missing() -> list[str]:
    """What the installed torch does not have of the methods to listen at."""
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    return [f"ShapeEnv.{name}" for name in SEAMS if not callable(getattr(ShapeEnv, name, None))]


@contextlib.contextmanager
def listening(events: Events) -> Iterator[None]:
    """Report to ``events`` while the block runs."""
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    wraps: tuple[Callable[[Any, Events], Any], ...] = (_on_symbol, _on_guard, _on_fixed)
    with contextlib.ExitStack() as undo:
        for name, wrap in zip(SEAMS, wraps, strict=True):
            original = getattr(ShapeEnv, name, None)
            if original is not None:
                undo.enter_context(replaced(ShapeEnv, name, wrap(original, events)))
        yield


def _on_symbol(original: Any, events: Events) -> Any:
    @functools.wraps(original)
    def hook(self: Any, value: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
        made = original(self, value, source, *args, **kwargs)
        if getattr(made, "is_Symbol", False):
            name = source.name
            events.of(self).sources.setdefault(made, []).append(name() if callable(name) else name)
        return made

    return hook


def _on_guard(original: Any, events: Events) -> Any:
    @functools.wraps(original)
    def hook(self: Any, prefix: str, guard: Any, *args: Any, **kwargs: Any) -> Any:
        events.of(self).guards.append(Guard(guard, events.here()))
        return original(self, prefix, guard, *args, **kwargs)

    return hook


def _on_fixed(original: Any, events: Events) -> Any:
    @functools.wraps(original)
    def hook(self: Any, symbol: Any, target: Any, *args: Any, **kwargs: Any) -> Any:
        stack = events.here()
        result = original(self, symbol, target, *args, **kwargs)
        if self.replacements.get(symbol) == target:
            events.of(self).fixed.append(Fixed(symbol, target, stack))
        return result

    return hook
