"""Forked children: each in a session of its own, with a time limit for every answer and a bounded sink for what they print."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable
from typing import NoReturn

from .tasks import Reply, Spec
from .wire import pack, take

Tell = Callable[[Reply], None]
Perform = Callable[[Spec, Tell], None]

_KEPT_OUTPUT = 4096
_LAST_LINE = 200
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


class Child:
    """A forked process that performs ``spec`` and tells what comes of it in one message or several."""

    def __init__(self, spec: Spec, perform: Perform, inherited: Iterable[int]) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._result = bytearray()
        self._output = bytearray()
        self._messages: deque[Reply] = deque()
        self._is_over = False
        self._status: int | None = None
        result_read, result_write = os.pipe()
        output_read, output_write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            _live_and_die(spec, perform, result_write, output_write, (*inherited, result_read, output_read))
        os.close(result_write)
        os.close(output_write)
        self._open = {result_read: self._result_readable, output_read: self._output_readable}
        for descriptor, readable in self._open.items():
            os.set_blocking(descriptor, False)
            self._loop.add_reader(descriptor, readable, descriptor)

    @property
    def descriptors(self) -> tuple[int, ...]:
        """Pipe ends of the parent, for other children to close."""
        return tuple(self._open)

    def ended(self, status: int) -> None:
        """The parent has just reaped this process, with the wait status ``status``."""
        self._status = status
        self._signal_group()
        for descriptor, readable in list(self._open.items()):
            readable(descriptor)  # what was still in the pipes
        self._finish()

    async def reply(self, timeout: float) -> Reply:
        """The only answer, or why there is none. Whatever is left of the child's process group is killed."""
        try:
            return await self.message(timeout)
        finally:
            self.kill()

    async def message(self, timeout: float) -> Reply:
        """The next answer, or why there is none; then there is no further one."""
        if not self._messages and not self._is_over:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), timeout)
            except asyncio.TimeoutError:
                return self._without_result(f"took longer than the limit of {timeout:g} s")
        return self._messages.popleft() if self._messages else self._without_result(self._how_it_ended())

    def kill(self) -> None:
        """End the child and all of its process group, and let go of its pipes."""
        for descriptor in list(self._open):
            self._close(descriptor)
        if self._status is None:
            self._signal_group()
            os.kill(self.pid, signal.SIGKILL)  # it may not be the leader of its group yet; not reaped, so it exists

    def _signal_group(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):  # nothing left of it
            return

    def _result_readable(self, descriptor: int) -> None:
        self._result += self._read(descriptor)
        try:
            while (message := take(self._result)) is not None:
                self._messages.append(message)
                self._output.clear()
                self._news.set()
        except ValueError:
            self._close(descriptor)
            self._messages.append(self._without_result("wrote over the result"))
            self._finish()

    def _output_readable(self, descriptor: int) -> None:
        self._output = (self._output + self._read(descriptor))[-_KEPT_OUTPUT:]

    def _read(self, descriptor: int) -> bytes:
        try:
            piece = os.read(descriptor, 1 << 20)
        except BlockingIOError:
            return b""
        if not piece:
            self._close(descriptor)
        return piece

    def _close(self, descriptor: int) -> None:
        if self._open.pop(descriptor, None) is not None:
            self._loop.remove_reader(descriptor)
            os.close(descriptor)

    def _finish(self) -> None:
        self._is_over = True
        self._news.set()

    def _how_it_ended(self) -> str:
        status = os.waitstatus_to_exitcode(self._status or 0)
        if status < 0:
            return f"was ended by signal {_signal_name(-status)}"
        return f"ended its process with exit status {status}"

    def _without_result(self, what: str) -> Reply:
        lines = [line.strip() for line in self._output.decode(errors="replace").splitlines() if line.strip()]
        last = f"; its last output: {lines[-1][-_LAST_LINE:]}" if lines else ""
        return {"ok": False, "reason": f"the code under test {what}{last}"}


def adopt_orphans() -> None:
    """Make processes that children leave behind children of this one, where the system can (Linux)."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def strays(known: Iterable[int]) -> list[int]:
    """Processes that children left behind: children of this process that are not ``known``."""
    try:
        with open(f"/proc/self/task/{threading.get_native_id()}/children") as file:
            return sorted({int(pid) for pid in file.read().split()} - set(known))
    except OSError:  # not Linux
        return []


def _live_and_die(spec: Spec, perform: Perform, result: int, output: int, inherited: Iterable[int]) -> NoReturn:
    try:
        me = os.getpid()

        def tell(reply: Reply) -> None:
            if os.getpid() != me:  # user code forked and both came back
                os._exit(0)
            flush()
            _write_all(result, pack(reply))

        _leave_parent(output, inherited)
        perform(spec, tell)
        os._exit(0)
    except BaseException:
        traceback.print_exc()  # its last line is told as the last output
        sys.stderr.flush()
    finally:
        os._exit(70)


def _leave_parent(output: int, inherited: Iterable[int]) -> None:
    os.setsid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for descriptor in inherited:
        os.close(descriptor)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(null)
    os.close(output)


def flush() -> None:
    """Give out what was printed."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):  # closed or replaced by user code: its text is lost, nothing else
            stream.flush()


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
