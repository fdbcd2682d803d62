"""Forked children of an experiment, a few at a time."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable

from ..verify.child import Child, adopt_orphans, strays
from ..verify.tasks import Reply, Spec


class Pool:
    """Runs ``perform`` in children, ``jobs`` at once and each for ``timeout`` seconds at most. Made inside a running loop."""

    def __init__(self, perform: Callable[[Spec], Reply], jobs: int, timeout: float, private: int) -> None:
        self._perform = perform
        self._timeout = timeout
        self._private = private
        self._slots = asyncio.Semaphore(jobs)
        self._children: dict[int, Child] = {}
        adopt_orphans()
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self._reap)

    async def run(self, spec: Spec) -> Reply:
        """The reply of a child to ``spec``."""
        async with self._slots:
            others = [descriptor for child in self._children.values() for descriptor in child.descriptors]
            child = Child(spec, lambda asked, tell: tell(self._perform(asked)), [self._private, *others])
            self._children[child.pid] = child
            return await child.reply(self._timeout)

    def _reap(self) -> None:
        for pid, child in list(self._children.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._children[pid]
                child.ended(status)
        if not self._children:
            for pid in strays(()):
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
