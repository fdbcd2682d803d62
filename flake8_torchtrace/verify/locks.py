"""Two kinds of file lock: one that lives as long as a process, and one that lets a single process through at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


def hold_for_life(descriptor: int) -> None:
    """Take the record lock of an open file.

    It belongs to this process alone, not to its forks, and the system drops it however the process ends. Raises OSError
    if another process has it.
    """
    import fcntl

    fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def holder_is_gone(descriptor: int) -> bool:
    """Whether no other process holds the record lock of an open file (this process then does)."""
    try:
        hold_for_life(descriptor)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def one_at_a_time(path: str) -> Iterator[None]:
    """Let one process at a time into the block."""
    import fcntl

    with open(path, "wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
