"""Where the program itself hands over to ``torch.compile``: what it compiles must be as its author wrote it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

from .calls import Live

_NAMES = ("set_eval_frame", "_maybe_set_eval_frame")
_CALLERS = frozenset({"compile_wrapper", "_fn"})
_CONTEXT = frozenset({"__enter__", "__exit__"})
_FARTHEST = 3


class Compiled:
    """Tells when a thread of the program begins to run compiled, with the call that it does so for, and when it no longer does."""

    def __init__(self, begins: Callable[[Live | None], None], ends: Callable[[], None]) -> None:
        self._begins = begins
        self._ends = ends
        self._here = threading.local()
        self._undo: list[tuple[ModuleType, str, Any]] = []

    def begin(self, module: ModuleType) -> None:
        """Given ``torch._dynamo.eval_frame`` once it is imported."""
        original: Any = getattr(module, _NAMES[0], None)
        if original is None:
            return

        def set_eval_frame(callback: Any) -> Any:
            self._hear(callback is not None and callback is not False)
            return original(callback)

        for name in _NAMES:
            if getattr(module, name, None) is original:
                self._undo.append((module, name, original))
                setattr(module, name, set_eval_frame)

    def end(self) -> None:
        """Tell no more."""
        for module, name, original in self._undo:
            setattr(module, name, original)
        self._undo.clear()

    @property
    def is_on(self) -> bool:
        """Whether this thread runs compiled."""
        return getattr(self._here, "since", None) is not None

    def _hear(self, is_on: bool) -> None:
        frame = _caller(sys._getframe(2))
        if frame is None:
            return
        if is_on and not self.is_on:
            self._here.since = _who(frame)
            self._begins(_call(frame))
        elif not is_on and self.is_on and self._here.since is _who(frame):  # torch also switches itself off for a while, to compile
            self._here.since = None
            self._ends()


def _caller(frame: FrameType | None) -> FrameType | None:
    """The frame of torch that switches."""
    for _ in range(_FARTHEST):
        if frame is None or frame.f_code.co_name in (*_CALLERS, *_CONTEXT):
            return frame
        frame = frame.f_back
    return None


def _who(frame: FrameType) -> object:
    """What is the same when it switches on and when it switches off."""
    return frame.f_locals.get("self") if frame.f_code.co_name in _CONTEXT else frame


def _call(frame: FrameType) -> Live | None:
    """What is about to be run compiled, as far as torch's own frames tell."""
    values = frame.f_locals
    function = values.get("fn")
    if frame.f_code.co_name in _CONTEXT or not callable(function) or not isinstance(values.get("args"), tuple):
        return None
    return _live(function, values["args"], values.get("kwargs") or {})


def _live(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Live:
    receiver = getattr(function, "__self__", None)
    if receiver is not None and function.__name__ in ("__call__", "_wrapped_call_impl", "forward", "_call_impl"):
        return Live(receiver, args, dict(kwargs), type(receiver).__name__)
    return Live(function, args, dict(kwargs), getattr(function, "__qualname__", type(function).__name__))
