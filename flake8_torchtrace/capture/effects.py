"""What a verified call may not do in the place of the program: the program does it itself a moment later, once."""

from __future__ import annotations

import os
import sys
import tempfile
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_TO_PATHS = frozenset(
    {
        "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime",
        "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree",
    }
)  # fmt: skip
_BEYOND = frozenset(
    {
        "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.kill", "os.killpg", "socket.connect", "socket.sendto",
        "socket.bind", "sqlite3.connect", "webbrowser.open", "pty.spawn",
    }
)  # fmt: skip


def forbid() -> None:
    """Let what reaches beyond this process fail from now on; an audit hook cannot be taken away."""
    temporary = os.path.realpath(tempfile.gettempdir()) + os.sep + tempfile.gettempprefix()
    sys.addaudithook(lambda event, args: _hear(event, args, temporary))


def _hear(event: str, args: tuple[Any, ...], temporary: str) -> None:
    if event == "open":
        path, _, flags = args
        if isinstance(path, (str, bytes, os.PathLike)) and isinstance(flags, int) and flags & _WRITING and not flags & os.O_EXCL:
            _check(f"writes {os.fsdecode(path)}", path, temporary)
    elif event in _TO_PATHS:
        _check(f"calls {event} on {args[0]}", args[0], temporary)
    elif event in _BEYOND:
        _refuse(f"calls {event}")


def _check(what: str, path: Any, temporary: str) -> None:
    """What lies in a folder or file of its own among the temporary ones is nobody else's."""
    if not isinstance(path, (str, bytes, os.PathLike)):
        return
    full = os.path.realpath(os.fsdecode(path))
    if full != os.devnull and not full.startswith(temporary):
        _refuse(what)


def _refuse(what: str) -> None:
    raise PermissionError(f"{what}, which is not done twice: it is left to the program itself")
