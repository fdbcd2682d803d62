"""Asking the store before the server."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable
from typing import Any

from ..folder import STORE
from .digests import of_bytes
from .elsewhere import facts_of
from .home import Home, VerifySettings
from .store import Answer, Store


class Recall:
    """What is known of earlier runs in the interpreter of ``home``, kept in ``folder``. Nothing is opened until it is asked."""

    def __init__(self, folder: str, home: Home) -> None:
        self._store = Store(folder)
        self._home = home

    @property
    def problem(self) -> str:
        """Why nothing is kept, in words; empty if it is."""
        self._store.open()
        return self._store.problem

    def touching(self, files: Iterable[str]) -> set[str]:
        """The files whose known runs touched one of ``files`` (real paths)."""
        return {place if os.path.exists(place) else place.rpartition(":")[0] for place in self._store.paths_touching(files)}

    def knows(self, path: str, source: str) -> bool:
        """Whether there is an answer for ``path`` with the text ``source``, as far as that can be told before it is linted."""
        return bool(self._facts) and self._store.has_any(path, self._start(source))

    def answer(self, path: str, source: str, request: dict[str, Any], ask: Callable[[], Answer]) -> Answer:
        """The answer to ``request``, from the store or from ``ask``, which may raise."""
        found = self.find(source, request)
        if found is not None:
            return found
        answer = ask()
        digests = answer.pop("touched", None)
        if self._facts and digests is not None and "failure" not in answer:
            # Only the newest few are kept of a place, and a file may have many classes that are asked for by themselves.
            place = path if request.get("only") is None else f"{path}:{request['only']}"
            self._store.add(self._key(source, request), self._start(source), place, digests, answer)
        return answer

    def find(self, source: str, request: dict[str, Any]) -> Answer | None:
        """The answer to ``request`` if it is known."""
        return self._store.find(self._key(source, request)) if self._facts else None

    def _key(self, source: str, request: dict[str, Any]) -> str:
        return of_bytes(json.dumps([self._start(source), request], sort_keys=True).encode())

    @functools.cached_property
    def _facts(self) -> str:
        return facts_of(self._home)

    def _start(self, source: str) -> str:
        return of_bytes("\0".join((self._facts, self._home.settings.recipes or "", source)).encode("utf-8", "surrogatepass"))


def recalled(folder: str, settings: VerifySettings, source: str, request: dict[str, Any]) -> Answer | None:
    """What the store in ``folder`` knows of ``request``, without a session and without making a store."""
    if not os.path.isfile(os.path.join(folder, STORE)):
        return None
    return Recall(folder, Home("", os.getcwd(), os.getpid(), settings)).find(source, request)
