"""A forked copy of the running program that does something apart, while the program waits. Nothing of it reaches the program."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

_PIECE = 1 << 20
_TICK = 0.5
_PR_SET_PDEATHSIG = 1


def aside(work: Callable[[int], bytes], limit: float) -> bytes:
    """What ``work`` gives in a forked copy of this process; empty if it ended otherwise or took longer than ``limit`` seconds.

    ``work`` is given the descriptor that its answer will go to: its own children must not keep that open.
    """
    with _quiet_end():
        result, tell = os.pipe()
        parent = os.getpid()
        pid = _forked()
        if pid == 0:
            _end_with(parent)
            _work(work, tell)
        os.close(tell)
        try:
            return _read(result, limit)
        finally:
            os.close(result)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
            _reap(pid)


def _forked() -> int:
    """``os.fork()`` without the warning that Python 3.12 has for programs with threads: it may be an error here."""
    if sys.version_info < (3, 12):
        return os.fork()
    silent = ("ignore", None, DeprecationWarning, None, 0)
    filters: Any = warnings.filters  # changed in place: to say so would make the program repeat warnings that it gave once
    filters.insert(0, silent)
    try:
        return os.fork()
    finally:
        filters.remove(silent)


def _read(descriptor: int, limit: float) -> bytes:
    """All that comes until the other end is closed. The clock is not asked: a test may have stopped it."""
    found = bytearray()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    silent = 0.0
    while silent < limit:
        if not poll.poll(_TICK * 1000):
            silent += _TICK
            continue
        piece = os.read(descriptor, _PIECE)
        if not piece:
            return bytes(found)
        found += piece
    return b""


def _reap(pid: int) -> None:
    while True:
        try:
            os.waitpid(pid, 0)
        except ChildProcessError:  # the program has it done for it
            return
        return


@contextlib.contextmanager
def _quiet_end() -> Iterator[None]:
    """Keep a handler of SIGCHLD that the program has from hearing of our child. It hears of its own ones afterwards."""
    handler = signal.getsignal(signal.SIGCHLD) if threading.current_thread() is threading.main_thread() else None
    if not callable(handler):
        yield
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, handler)
        with contextlib.suppress(ChildProcessError):
            if os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
                signal.raise_signal(signal.SIGCHLD)


def _end_with(parent: int) -> None:
    """End this process when the program ends, where the system can do that (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(0)


def _work(work: Callable[[int], bytes], tell: int) -> NoReturn:
    try:
        _cut_off(tell)
        view = memoryview(work(tell))
        while view:
            view = view[os.write(tell, view) :]
    finally:
        os._exit(0)


def _cut_off(kept: int) -> None:
    """Take from this copy what reaches beyond it: the files the program writes, its signals, its tracers, its filters of warnings."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    faulthandler.disable()
    sys.settrace(None)
    sys.setprofile(None)
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if callable(signal.getsignal(number)):
            signal.signal(number, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in _descriptors():
        if descriptor not in (kept, null) and _is_written(descriptor):
            os.dup2(null, descriptor)
    os.dup2(null, 0)
    warnings.resetwarnings()
    warnings.simplefilter("default")


def _descriptors() -> list[int]:
    for folder in ("/proc/self/fd", "/dev/fd"):
        with contextlib.suppress(OSError):
            return [int(name) for name in os.listdir(folder) if name.isdecimal()]
    return [1, 2]


def _is_written(descriptor: int) -> bool:
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
    except OSError:  # that of the listing itself
        return False
