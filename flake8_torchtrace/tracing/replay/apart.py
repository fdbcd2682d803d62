"""A piece of the experiment in a process of its own: what it changes stays there."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class ApartError(RuntimeError):
    """A forked piece of the experiment gave no answer; the text says why."""


def apart(call: Callable[[], T]) -> T:
    """What ``call`` returns in a fork of this process: plain data or CPU tensors. Raises ApartError with what it raised."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        _answer(call, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        data = pipe.read()
    _, status = os.waitpid(pid, 0)
    if not data:
        raise ApartError(f"the process ended with wait status {status} and no answer")
    fine, value = pickle.loads(data)
    if not fine:
        raise ApartError(value)
    return value  # type: ignore[no-any-return]


def _answer(call: Callable[[], object], write: int) -> None:
    try:
        try:
            data = pickle.dumps((True, call()))
        except BaseException as error:
            data = pickle.dumps((False, f"{type(error).__name__}: {error}"))
        with os.fdopen(write, "wb") as pipe:
            pipe.write(data)
        os._exit(0)
    finally:
        os._exit(70)
