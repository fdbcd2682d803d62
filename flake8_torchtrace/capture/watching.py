"""Being told when chosen Python functions are called, unseen by those who look at them."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType
from typing import Any

from .prelude import NoPreludeError, with_prelude

OnCall = Callable[[CodeType, FrameType], None]


class _Tell:
    """The constant in the changed code. Those that pickle functions by value take the code as it is: over there nobody is told."""

    def __init__(self, on_call: OnCall, plain: CodeType) -> None:
        self._on_call = on_call
        self._plain = plain

    def __call__(self) -> None:
        self._on_call(self._plain, sys._getframe(1))

    def __reduce__(self) -> tuple[Any, ...]:
        return _nobody, ()


def _nobody() -> Callable[[], None]:
    return lambda: None


@dataclass
class _Watched:
    plain: CodeType
    changed: CodeType
    functions: list[weakref.ref[FunctionType]] = field(default_factory=list)

    def give(self, old: CodeType, new: CodeType) -> None:
        for reference in self.functions:
            function = reference()
            if function is not None and function.__code__ is old:
                function.__code__ = new


class Watching:
    """Tells ``on_call`` of every call of a watched function, with the code that its author wrote and its frame, before its first line."""

    def __init__(self, on_call: OnCall) -> None:
        self._on_call = on_call
        self._watched: dict[int, _Watched] = {}
        self._pauses = 0
        self._lock = threading.RLock()

    def watch(self, function: FunctionType) -> CodeType:
        """Be told of the calls of ``function``, by the returned code. Raises NoPreludeError."""
        with self._lock:
            plain = self.plain(function.__code__)
            found = self._watched.get(id(plain))
            if found is None:
                found = self._watched[id(plain)] = _Watched(plain, self._changed(plain))
            if all(reference() is not function for reference in found.functions):
                found.functions.append(weakref.ref(function))
            if not self._pauses:
                found.give(found.plain, found.changed)
            return plain

    def forget(self, code: CodeType) -> None:
        """No longer be told of ``code``."""
        with self._lock:
            found = self._watched.pop(id(code), None)
            if found is not None:
                found.give(found.changed, found.plain)
                self._forgotten(found)

    def plain(self, code: CodeType) -> CodeType:
        """The code that its author wrote, for one that is running."""
        return next((item.plain for item in list(self._watched.values()) if item.changed is code), code)

    def pause(self) -> None:
        """Let all functions be as they were, until `resume`: a tracer is going to look at them."""
        with self._lock:
            self._pauses += 1
            if self._pauses == 1:
                for item in self._watched.values():
                    item.give(item.changed, item.plain)

    def resume(self) -> None:
        """Undo one `pause`."""
        with self._lock:
            self._pauses -= 1
            if not self._pauses:
                for item in self._watched.values():
                    item.give(item.plain, item.changed)

    def end(self) -> None:
        """Let all functions be as they were, for good."""
        for item in list(self._watched.values()):
            self.forget(item.plain)

    def _changed(self, plain: CodeType) -> CodeType:
        return with_prelude(plain, _Tell(self._on_call, plain))

    def _forgotten(self, item: _Watched) -> None:
        """For those who have more to undo."""


class Monitoring(Watching):
    """The same by ``sys.monitoring`` (Python 3.12 and later), which changes no function: nothing has to be hidden from a tracer."""

    def __init__(self, on_call: OnCall) -> None:
        super().__init__(on_call)
        self._monitoring: Any = getattr(sys, "monitoring")  # noqa: B009  mypy knows it from 3.12 on only
        free = [number for number in (4, 3) if self._monitoring.get_tool(number) is None]
        if not free:
            raise NoPreludeError("every tool of sys.monitoring is in use")
        self._tool = free[0]
        self._event = self._monitoring.events.PY_START
        self._monitoring.use_tool_id(self._tool, "torchtrace")
        self._monitoring.register_callback(self._tool, self._event, lambda code, offset: on_call(code, sys._getframe(1)))

    def _changed(self, plain: CodeType) -> CodeType:
        self._monitoring.set_local_events(self._tool, plain, self._event)
        return plain

    def _forgotten(self, item: _Watched) -> None:
        self._monitoring.set_local_events(self._tool, item.plain, 0)

    def end(self) -> None:
        super().end()
        self._monitoring.free_tool_id(self._tool)


def watching(on_call: OnCall) -> Watching:
    """What this Python offers. Raises NoPreludeError where it offers nothing."""
    return Monitoring(on_call) if sys.version_info >= (3, 12) else Watching(on_call)
