"""What the running program is told of a recording, and how it asks the keeper."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from typing import Any

from ..verify import wire

VARIABLE = "TORCHTRACE_RECORDING"
_SOCKET = socket.socket  # a test may take sockets away from the program
_NAME = "keeper"


@dataclass(frozen=True)
class Recording:
    """``root``: the project's folder; ``packages``: installed packages that are looked at too; ``entries``: methods at which tracing starts.

    ``timeout``: seconds for a target; ``calls``: how many calls of a class are verified at most; ``jobs``: targets at once.
    """

    root: str
    packages: tuple[str, ...] = ()
    entries: tuple[str, ...] = ("forward",)
    targets: tuple[str, ...] = ()
    timeout: float = 60.0
    calls: int = 2
    jobs: int = 1


@dataclass(frozen=True)
class Link:
    """The way to the keeper that listens in ``directory``. It may not be ready to answer yet: whoever asks then waits."""

    directory: str

    def ask(self, message: dict[str, Any]) -> dict[str, Any]:
        """The keeper's answer. Raises OSError, EOFError."""
        with _SOCKET(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.connect(os.path.join(self.directory, _NAME))
            return wire.ask(connection, message)

    def recording(self) -> Recording:
        """What is wanted. Raises OSError, EOFError."""
        raw = self.ask({"op": "recording"})
        lists = {name: tuple(raw[name]) for name in ("packages", "entries", "targets")}
        return Recording(**{**raw, **lists})

    def listen(self) -> socket.socket:
        """A socket for the keeper, which takes questions before there is anyone to answer. Raises OSError."""
        listener = _SOCKET(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(os.path.join(self.directory, _NAME))
        listener.listen(128)
        return listener
