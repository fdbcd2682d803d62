"""Messages between client, server and child: a length, then JSON."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import Any

_LENGTH = struct.Struct(">Q")
LENGTH_SIZE = _LENGTH.size


def pack(message: dict[str, Any]) -> bytes:
    """One message as bytes."""
    body = json.dumps(message).encode()
    return _LENGTH.pack(len(body)) + body


def unpack(data: bytes | bytearray) -> dict[str, Any] | None:
    """The message at the start of ``data``, or None while it is incomplete. Raises ValueError if it is not one."""
    if len(data) < LENGTH_SIZE:
        return None
    (length,) = _LENGTH.unpack_from(data)
    if len(data) < LENGTH_SIZE + length:
        return None
    message = json.loads(bytes(data[LENGTH_SIZE : LENGTH_SIZE + length]))
    if not isinstance(message, dict):
        raise ValueError("a message is an object")
    return message


def take(data: bytearray) -> dict[str, Any] | None:
    """As `unpack`, and the message is taken from ``data``."""
    message = unpack(data)
    if message is not None:
        (length,) = _LENGTH.unpack_from(data)
        del data[: LENGTH_SIZE + length]
    return message


def ask(connection: socket.socket, message: dict[str, Any]) -> dict[str, Any]:
    """Send one message and wait for the answer. Raises EOFError if the other side goes away, OSError as sockets do."""
    connection.sendall(pack(message))
    return receive(connection)


def receive(connection: socket.socket) -> dict[str, Any]:
    """The next message. Raises EOFError if the other side goes away, OSError as sockets do."""
    (length,) = _LENGTH.unpack(_read_exactly(connection, LENGTH_SIZE))
    answer = json.loads(_read_exactly(connection, length))
    if not isinstance(answer, dict):
        raise EOFError("the answer is not an object")
    return answer


async def read_message(reader: asyncio.StreamReader) -> dict[str, Any]:
    """The next message of an asyncio stream. Raises asyncio.IncompleteReadError at its end."""
    (length,) = _LENGTH.unpack(await reader.readexactly(LENGTH_SIZE))
    message = json.loads(await reader.readexactly(length))
    return message if isinstance(message, dict) else {}


def _read_exactly(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        piece = connection.recv(min(size - len(data), 1 << 20))
        if not piece:
            raise EOFError("the server closed the connection")
        data += piece
    return bytes(data)
