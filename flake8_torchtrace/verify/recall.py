"""Asking the store before the server."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from typing import Any

from .digests import of_bytes
from .elsewhere import facts_of
from .home import Home
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
        return self._store.paths_touching(files)

    def knows(self, path: str, source: str) -> bool:
        """Whether there is an answer for ``path`` with the text ``source``, as far as that can be told before it is linted."""
        return bool(self._facts) and self._store.has_any(path, self._start(source))

    def answer(self, path: str, source: str, request: dict[str, Any], ask: Callable[[], Answer]) -> Answer:
        """The answer to ``request``, from the store or from ``ask``, which may raise."""
        if not self._facts:
            return ask()
        start = self._start(source)
        key = of_bytes(json.dumps([start, request], sort_keys=True).encode())
        found = self._store.find(key)
        if found is not None:
            return found
        answer = ask()
        digests = answer.pop("touched", None)
        if digests is not None and "failure" not in answer:
            self._store.add(key, start, path, digests, answer)
        return answer

    @functools.cached_property
    def _facts(self) -> str:
        return facts_of(self._home)

    def _start(self, source: str) -> str:
        return of_bytes("\0".join((self._facts, self._home.settings.recipes or "", source)).encode("utf-8", "surrogatepass"))
