"""All runs of one module with its inputs: imported and built once, then taken through its stages.

Stages follow each other in one process as long as none leaves anything behind (`state`). Where that cannot be told, or one did,
each stage has a process of its own, forked when the module had just been imported and built.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from . import tasks
from .child import Tell, flush
from .known import learn, with_known
from .rounds import Pursuit
from .state import State, TooMuchError
from .tasks import Reply, Spec
from .touched import Digests, Touched, merged
from .wire import pack, unpack


def perform(spec: Spec, tell: Tell) -> None:
    """What a child does: one deed, or with ``stages`` those of a unit."""
    touched = Touched()
    if "stages" in spec:
        _Unit(spec, tell, touched).perform()
    else:
        tell({**tasks.done(spec), "touched": touched.result()})


class _Unit:
    """Tells ``{"stage": {"first", "reply"}}`` of each stage it did, ``{"round": ...}`` with the same in between, ``{"touched"}`` at last.

    A stage is a deed; with ``lines`` it is pursued, and ``reply`` is what came of that. Of what another process has to do nothing
    is told, and of a target that another has to pursue further what is known until there. After a failed eager call no stage is done.
    """

    def __init__(self, spec: Spec, tell: Tell, touched: Touched) -> None:
        self._spec = spec
        self._tell = tell
        self._touched = touched
        self._parts: list[Digests | None] = []
        self._known: dict[str, Any] = spec["known"]
        self._is_fresh = True
        self._state: State | None = None

    def perform(self) -> None:
        before = set(sys.modules)
        tasks.hold(self._spec["unit"])
        if not self._spec["apart"]:
            try:
                self._state = State(before)
            except TooMuchError:
                self._state = None
        for stage in self._spec["stages"]:
            if not self._do(stage):
                break
        self._tell({"touched": merged([*self._parts, self._touched.result()])})

    def _do(self, stage: Spec) -> bool:
        """Whether the next stage may be done too."""
        is_first = self._is_fresh
        reply = self._run(with_known(stage, self._known))
        first, goes_on = reply, self._is_usable()
        if not is_first and not (goes_on and self._is_sound(reply)):
            return False
        if stage["do"] == "eager":
            goes_on = goes_on and bool(reply["ok"] and reply["value"]["ok"])
        elif reply["ok"] and "lines" in stage and goes_on:
            reply, goes_on = self._pursued(stage, reply["value"])
        learn(self._known, stage, first)
        self._tell({"stage": {"first": first, "reply": reply}})
        return goes_on

    def _pursued(self, stage: Spec, first: dict[str, Any]) -> tuple[Reply, bool]:
        executed = self._known["executed"].get(self._spec["path"], [])
        pursuit = Pursuit(first, tasks.watcher(self._spec["unit"]), what_is_left(self._spec["path"], executed, stage["lines"]))
        while (places := pursuit.next_places()) is not None:
            self._tell({"round": {"first": {"ok": True, "value": first}, "reply": {"ok": True, "value": pursuit.result}}})
            reply = self._run({**stage, "around": places, "in_place": True})
            if not (self._is_usable() and self._is_sound(reply)):
                return {"ok": True, "value": pursuit.result}, False
            pursuit.take(places, reply)
        return {"ok": True, "value": {**pursuit.result, "is_pursued": True}}, True

    def _is_sound(self, reply: Reply) -> bool:
        """Whether a process that did nothing before would surely give the same ``reply``, if this one is as it was."""
        if "again" in reply:
            return False
        return self._state is None or (bool(reply["ok"]) and reply["value"].get("status") not in ("crashed", "unusable"))

    def _is_usable(self) -> bool:
        """Whether another stage can follow."""
        if self._state is None:
            return threading.active_count() == 1
        return self._state.is_unchanged()

    def _run(self, stage: Spec) -> Reply:
        self._is_fresh = False
        if self._state is None and _can_fork():
            return self._forked(stage)
        return _cleanly(stage)

    def _forked(self, stage: Spec) -> Reply:
        from ..inputs.synthesis import sandbox

        reading, writing = os.pipe()
        flush()
        with sandbox.paused("os.fork"):
            pid = os.fork()
        if pid == 0:
            _give(stage, self._touched, writing)
        os.close(writing)
        with open(reading, "rb") as file:
            data = file.read()
        _, status = os.waitpid(pid, 0)
        reply = _message(data)
        if reply is None:
            _end_as(os.waitstatus_to_exitcode(status))
        assert reply is not None
        self._parts.append(reply.pop("touched"))
        return reply


def _cleanly(stage: Spec) -> Reply:
    from .. import tracing

    tracing.reset()
    if "around" in stage:
        tasks.let_go()
    return tasks.done(stage)


def _give(stage: Spec, touched: Touched, writing: int) -> None:
    try:
        me = os.getpid()
        reply = _cleanly(stage)
        if os.getpid() == me:
            flush()
            with open(writing, "wb") as file:
                file.write(pack({**reply, "touched": touched.result()}))
        os._exit(0)
    finally:
        os._exit(70)


def _message(data: bytes) -> Reply | None:
    try:
        return unpack(data)
    except ValueError:
        return None


def _end_as(status: int) -> None:
    """End this process as the one that did the stage ended."""
    from ..inputs.synthesis import sandbox

    if status >= 0:
        os._exit(status)
    signal.signal(-status, signal.SIG_DFL)
    with sandbox.paused():
        os.kill(os.getpid(), -status)


def _can_fork() -> bool:
    return threading.active_count() == 1


def what_is_left(path: str, executed: list[int], lines: list[int]) -> Callable[[dict[str, Any]], bool]:
    """Tells of a result whether a further run may say more of ``path``: of lines not traced yet, or of a second finding where the trace ended."""

    def is_left(result: dict[str, Any]) -> bool:
        frames = [frame for frame in result["observations"][-1]["stack"] if frame["path"] == path]
        shared = frames and lines.count(frames[-1]["line"]) > 1
        return bool(shared) or not set(executed) <= set(result["traced"].get(path, ()))

    return is_left
