"""Keeps code that runs with invented arguments away from the network, from files and from other programs."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

_FORBIDDEN = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile", "os.fork", "os.kill", "pty.spawn",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.unlink",
    "os.mkfifo", "os.mknod", "os.setxattr", "os.removexattr", "shutil.", "tempfile.", "sqlite3.connect", "urllib.", "http.", "ftplib.",
    "smtplib.", "webbrowser.", "signal.pthread_kill",
)  # fmt: skip
_ALLOWED = ("socket.gethostname", "socket.__new__")
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_is_closed = False
_passing: tuple[str, ...] = ()


def close() -> None:
    """From now on this process may read files and nothing more. An audit hook cannot be taken away, so call it in a child."""
    global _is_closed
    if not _is_closed:
        _is_closed = True
        sys.dont_write_bytecode = True
        tempfile.gettempdir()  # found by writing there, once
        _close_torch()
        sys.addaudithook(_hear)


@contextlib.contextmanager
def paused(*events: str) -> Iterator[None]:
    """Let this tool itself do in the block what the code under test may not, as handing on what it has made; or only ``events``."""
    global _passing
    before, _passing = _passing, events or ("",)
    try:
        yield
    finally:
        _passing = before


def limit_memory(more: int = 2 << 30) -> None:
    """Let this process take at most ``more`` bytes on top of what it has, where the system tells (Linux): a wrong size may ask for terabytes."""
    try:
        import resource

        with open("/proc/self/statm") as file:
            now = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + more, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ImportError, OSError, ValueError):
        return


def _hear(event: str, args: tuple[Any, ...]) -> None:
    if _passing and event.startswith(_passing):
        return
    if event == "open":
        path, mode, flags = args
        writes = (isinstance(mode, str) and set(mode) & set("wax+")) or (isinstance(flags, int) and flags & _WRITES)
        if writes and path != os.devnull and not isinstance(path, int):
            raise PermissionError(f"synthesised inputs: writing {path!r} is not allowed")
    elif event.startswith(_FORBIDDEN) and event not in _ALLOWED:
        raise PermissionError(f"synthesised inputs: {event} is not allowed")


def _close_torch() -> None:
    """torch writes files from C++, where no audit hook hears it."""
    import torch

    serialization: Any = torch.serialization
    write = serialization._open_zipfile_writer

    def refuse(name: Any) -> Any:
        if isinstance(name, (str, os.PathLike)):
            raise PermissionError(f"synthesised inputs: writing {os.fspath(name)!r} is not allowed")
        return write(name)

    serialization._open_zipfile_writer = refuse
