"""The verification server: imports torch once, then forks a fresh child for every run. Started by ``launch``.

It runs in the user's interpreter with nothing but the standard library and torch, and ends when flake8 ends.
"""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import signal
import socket
import sys
from typing import Any

from .answer import answer
from .child import Child, adopt_orphans, strays
from .home import Home, read_home
from .locks import holder_is_gone
from .runs import Runs
from .tasks import Reply, Spec
from .touched import Digests, merged
from .unit import perform
from .wire import pack, read_message

_OWNER_POLL = 0.2
_SELF_CHECK_LIMIT = 120.0
_LONGEST_IMPORT = 300
_GARBAGE = 100_000
NO_TORCH = "torch is not installed in {python}: pip install 'flake8-torchtrace[verify]'"


def main(arguments: list[str]) -> None:
    """Serve the session directory ``arguments[0]``; tell the descriptor ``arguments[1]`` once connections are taken."""
    directory, ready = arguments[0], int(arguments[1])
    home = read_home(directory)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(home.path("socket"))
    listener.listen(128)
    os.write(ready, b"1")
    os.close(ready)
    adopt_orphans()
    failure = _prepare()
    with open(home.path("warm"), "w"):  # tells a server that died at its work from one that never came to it
        pass
    try:
        asyncio.run(Server(home, listener, failure).serve())
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    os._exit(0)  # nothing is left to do, and torch takes its time to unload


def _prepare() -> str | None:
    """Import and warm up torch. What went wrong, in words, or None."""
    signal.alarm(_LONGEST_IMPORT)  # the default action ends a server that would hang for ever
    try:
        from .. import tracing

        tracing.prewarm()
        tracing.spare_measuring()
    except ModuleNotFoundError as error:
        if error.name == "torch":
            return NO_TORCH.format(python=sys.executable)
        return f"importing torch failed in {sys.executable}: {error}"
    except BaseException as error:
        return f"importing torch failed in {sys.executable}: {type(error).__name__}: {error}"
    signal.alarm(0)
    gc.collect()
    gc.freeze()  # children then share what is loaded instead of copying it
    gc.set_threshold(_GARBAGE)  # a collection touches, and so copies, what is shared
    return None


class Server:
    """Answers requests; keeps every reply for the life of the session, so that a run happens once."""

    def __init__(self, home: Home, listener: socket.socket, failure: str | None) -> None:
        self._home = home
        self._listener = listener
        self._failure = failure
        self._runs = Runs(self._fork, home.settings.jobs, home.settings.timeout)
        self._children: dict[int, Child] = {}
        self._clients: set[asyncio.StreamWriter] = set()
        self._over = asyncio.Event()

    async def serve(self) -> None:
        """Serve until told to end or until flake8 is gone."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGCHLD, self._reap)
        loop.add_signal_handler(signal.SIGTERM, self._over.set)
        background: list[asyncio.Task[Any]] = [asyncio.create_task(self._watch_owner())]
        if self._failure is None:
            background.append(asyncio.create_task(self._check()))
        server = await asyncio.start_unix_server(self._client, sock=self._listener)
        await self._over.wait()
        for task in background:
            task.cancel()
        server.close()
        for child in self._children.values():
            child.kill()
        self._kill_strays()

    async def _check(self) -> list[str]:
        """What the tracing package says of the installed torch."""
        checked = await self._runs.run({"do": "self-check"}, _SELF_CHECK_LIMIT)
        return list(checked["value"]) if checked["ok"] else [f"the self-check did not finish: {checked['reason']}"]

    def _fork(self, spec: Spec) -> Child:
        child = Child(spec, perform, self._descriptors())
        self._children[child.pid] = child
        return child

    def _descriptors(self) -> list[int]:
        """What a child must not keep open: the listener, the clients, the pipes of other children."""
        found = [self._listener.fileno()]
        for writer in self._clients:
            found.append(writer.get_extra_info("socket").fileno())
        for child in self._children.values():
            found.extend(child.descriptors)
        return [descriptor for descriptor in found if descriptor >= 0]

    def _reap(self) -> None:
        for pid, child in list(self._children.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._children[pid]
                child.ended(status)
        if not self._children:
            self._kill_strays()

    def _kill_strays(self) -> None:
        for pid in strays(self._children):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        try:
            while True:
                request = await read_message(reader)
                if request.get("op") == "end":
                    self._over.set()
                    return
                writer.write(pack(await self._answer(request)))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):  # the client has all it wanted, or is gone
            return
        finally:
            self._clients.discard(writer)
            writer.close()

    async def _answer(self, request: dict[str, Any]) -> dict[str, Any]:
        if self._failure is not None:
            return {"failure": self._failure}
        version = str(getattr(sys.modules["torch"], "__version__", "")).partition("+")[0]
        touched: list[Digests | None] = []

        def noted(*replies: Reply) -> None:
            touched.extend(reply.get("touched") for reply in replies)

        try:
            reply = await answer(request, self._runs, noted)
        except Exception as error:
            return {"failure": f"the verification server failed: {type(error).__name__}: {error}"}
        return {**reply, "torch": version, "notes": [*await self._check(), *reply["notes"]], "touched": merged(touched)}

    async def _watch_owner(self) -> None:
        """flake8 holds the record lock of a file here; the system drops it when flake8 ends, however it ends."""
        with open(self._home.path("alive"), "r+b") as file:
            while not holder_is_gone(file.fileno()):
                await asyncio.sleep(_OWNER_POLL)
        self._over.set()
