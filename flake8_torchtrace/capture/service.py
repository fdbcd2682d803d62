"""The keeper's socket, at which the processes of the program ask."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from ..verify import wire

Message = dict[str, Any]


class Service:
    """The keeper's socket, served by threads of this process until `end`."""

    def __init__(self, answer: Callable[[Message], Message], listener: socket.socket) -> None:
        self._answer = answer
        self._listener = listener
        threading.Thread(target=self._serve, daemon=True).start()

    def end(self) -> None:
        """Take no more questions."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:  # closed
                return
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with connection:
            try:
                question = wire.receive(connection)
            except (OSError, EOFError):  # it has ended
                return
            try:
                answer = self._answer(question)
            except Exception as error:
                answer = {"failure": f"{type(error).__name__}: {error}"}
                print(f"torchtrace: the recording failed: {answer['failure']}", file=sys.stderr)
            connection.sendall(wire.pack(answer))
