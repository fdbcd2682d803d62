"""Starting the one server of a session and connecting to it, whatever number of processes try at once."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import subprocess
from typing import Any, NoReturn

from . import wire
from .home import Home
from .locks import one_at_a_time

_ATTEMPTS = 2
_ANSWER_TO_END = 5.0
_LONGEST_START = 60.0
_Identity = tuple[int, int]

PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

# The package may not be installed where torch is: a bare module object stands in for it. The current directory goes to
# the end of the path (and out of PYTHONPATH), so that a project's queue.py cannot replace the standard library's under
# torch. The fork leaves the server without a parent that would have to reap it: it ends by itself.
_BOOTSTRAP = """
import os, sys
sys.path.sort(key=lambda entry: entry == "")
if sys.version_info < (3, 10): sys.exit("Python 3.10 or newer is needed, this is " + sys.version.split()[0])
if os.fork(): os._exit(0)
import types
package = types.ModuleType("flake8_torchtrace")
package.__path__ = [sys.argv[1]]
sys.modules["flake8_torchtrace"] = package
from flake8_torchtrace.verify.server import main
main(sys.argv[2:])
"""


class ServerError(Exception):
    """The server cannot be had; the text says why, for the user."""


def ask_server(home: Home, request: dict[str, Any]) -> dict[str, Any]:
    """The server's answer. It is started if there is none, and once more if it dies. Raises ServerError, OSError."""
    for _ in range(_ATTEMPTS):
        identity = None
        try:
            connection, identity = _connect(home)
            with connection:
                return wire.ask(connection, request)
        except (EOFError, ConnectionError):
            _bury(home, identity)
            if not os.path.exists(home.path("warm")):  # it would not get further a second time, nor for the next file
                _give_up(home, f"the verification server ended while importing torch in {home.settings.python}")
    raise ServerError(f"the verification server ended unexpectedly{_last_words(home)}")


def start_server(home: Home) -> None:
    """Start the server if there is none; it imports torch while others go on. Raises ServerError, OSError."""
    connection, _ = _connect(home)
    connection.close()


def end_server(home: Home) -> None:
    """Tell the server to end, if there is one, and wait a little until it has."""
    with contextlib.suppress(OSError, EOFError), _connect_to_running(home) as connection:
        connection.settimeout(_ANSWER_TO_END)
        wire.ask(connection, {"op": "end"})


def _connect(home: Home) -> tuple[socket.socket, _Identity]:
    with one_at_a_time(home.path("start.lock")):
        _raise_if_given_up(home)
        try:
            connection = _connect_to_running(home)
        except (FileNotFoundError, ConnectionRefusedError):
            _start(home)
            connection = _connect_to_running(home)
        return connection, _identity(home)


def _bury(home: Home, identity: _Identity | None) -> None:
    """Take away the socket of a server that died: for a moment it still accepts connections."""
    with one_at_a_time(home.path("start.lock")), contextlib.suppress(FileNotFoundError):
        if _identity(home) == identity:
            os.unlink(home.path("socket"))


def _give_up(home: Home, reason: str) -> NoReturn:
    """Let no process of this session start a server any more. Raises ServerError."""
    reason += _last_words(home)
    with open(home.path("failure"), "w", encoding="utf-8") as file:
        file.write(reason)
    raise ServerError(reason)


def _raise_if_given_up(home: Home) -> None:
    with contextlib.suppress(FileNotFoundError), open(home.path("failure"), encoding="utf-8") as file:
        raise ServerError(file.read())


def _identity(home: Home) -> _Identity:
    found = os.stat(home.path("socket"))
    return found.st_ino, found.st_ctime_ns


def _connect_to_running(home: Home) -> socket.socket:
    """A connection to the server if it runs. Raises OSError if it does not."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.connect(home.path("socket"))
    except OSError:
        connection.close()
        raise
    return connection


def _last_words(home: Home) -> str:
    """The last line the server wrote, with a colon before it, or an empty string."""
    try:
        with open(home.path("server.log"), encoding="utf-8", errors="replace") as log:
            lines = [line.strip() for line in log if line.strip()]
    except OSError:
        return ""
    return f": {lines[-1]}" if lines else ""


def environment(working_directory: str) -> dict[str, str]:
    """What the server, and all that it forks, have in their environment."""
    # One thread: a thread pool does not survive the forks.
    found = {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    entries = [os.path.join(working_directory, entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    kept = [entry for entry in entries if os.path.realpath(entry) != os.path.realpath(working_directory)]
    if kept:
        found["PYTHONPATH"] = os.pathsep.join(kept)
    else:
        found.pop("PYTHONPATH", None)
    return found


def _start(home: Home) -> None:
    for left_by_one_that_died in ("socket", "warm"):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(home.path(left_by_one_that_died))
    python = home.settings.python
    ready, tell = os.pipe()
    with open(home.path("server.log"), "wb") as log, open(ready, "rb") as announced:
        try:
            subprocess.run(
                [python, "-c", _BOOTSTRAP, PACKAGE, home.directory, str(tell)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(tell,), cwd=home.working_directory,
                env=environment(home.working_directory), start_new_session=True, check=False,
            )  # fmt: skip
        except OSError as error:
            _give_up(home, f"cannot start {python}: {error.strerror}")
        finally:
            os.close(tell)
        in_time, _, _ = select.select([announced], [], [], _LONGEST_START)
        if not in_time or not announced.read(1):
            _give_up(home, f"the verification server did not start in {python}")
