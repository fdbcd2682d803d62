"""One process at a time brings an index up to date."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PATIENCE = 600.0
_PAUSE = 0.05


@contextmanager
def locked(path: str, patience: float = _PATIENCE) -> Iterator[bool]:
    """Hold the lock file ``path``, waiting for it ``patience`` seconds at most; gives False if another process kept it for so long.

    The system lets go of the lock however the process ends. Raises OSError if the file cannot be made.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        end = time.monotonic() + patience
        while not (is_ours := _take(descriptor)) and time.monotonic() < end:
            time.sleep(_PAUSE)
        yield is_ours
    finally:
        os.close(descriptor)


def _take(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:
        return _take_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take_on_windows(descriptor: int) -> bool:
    import msvcrt

    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
