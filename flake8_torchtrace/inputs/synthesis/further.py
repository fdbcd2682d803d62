"""Further inputs for the lines that the first ones did not come to: a bounded search among alternatives, the nearest first."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from .alternatives import Alternatives
from .attempt import Attempt
from .constructor import Constructor
from .deciders import Deciding
from .draft import Draft
from .search import PATIENCE, Search, view

_MOST_TRIES = 60
_TRIES_OF_ONE = 8
_SECONDS_OF_ONE = 4.0
_MOST_KEPT = 3
_MOST_CHANGES = 3
_OTHERS_OF_ONE = 24

Lines = Sequence[int]


@dataclass(frozen=True)
class Step:
    """A draft to try, with its changes in words, empty for those that it shows."""

    draft: Draft
    changes: tuple[str, ...] = ()


class Further:
    """From ``first``, a draft for the class ``cls`` that works, to others that run lines of the file ``path`` which it does not run."""

    def __init__(self, home: ModuleType, cls: Any, path: str, source: str, first: Draft, seconds: float) -> None:
        self._home = home
        self._cls = cls
        self._path = path
        self._first = first
        self._deciding = Deciding(source)
        self._constructor = Constructor(home)
        self._end = time.process_time() + seconds  # see Search
        self._last = time.monotonic() + PATIENCE * seconds
        self._queue: list[tuple[tuple[int, ...], int, Step]] = []
        self._seen: set[str] = set()

    def run(self, missing: Sequence[Lines]) -> Iterator[Step]:
        """Drafts that work, each of which runs one of ``missing`` (first and last line) that those before it do not."""
        start = self._tried(self._first)
        if start.error is not None:
            return
        missing = [lines for lines in missing if not _runs(start, lines)]
        self._expand(start, missing, ())
        kept = tries = 0
        while self._queue and missing and kept < _MOST_KEPT and tries < _MOST_TRIES and self._rest() > 0:
            step = heapq.heappop(self._queue)[2]
            tries += 1
            attempt = self._tried(step.draft)
            if attempt.error is not None:
                continue
            left = [lines for lines in missing if not _runs(attempt, lines)]
            if len(left) < len(missing):
                yield Step(attempt.draft, step.changes)
                kept += 1
                missing = left
            if missing and len(step.changes) < _MOST_CHANGES:
                self._expand(attempt, missing, step.changes)

    def _rest(self) -> float:
        return min(self._end - time.process_time(), self._last - time.monotonic())

    def _tried(self, draft: Draft) -> Attempt:
        """The first of ``draft`` and its repairs that works."""
        seconds = max(min(self._rest(), _SECONDS_OF_ONE), 0.1)
        found = Search(self._home, self._cls, seconds, _TRIES_OF_ONE, start=draft, path=self._path).run()
        return found.attempt or Attempt(draft, error=found.error)

    def _expand(self, attempt: Attempt, missing: list[Lines], changes: tuple[str, ...]) -> None:
        nearness = max((self._deciding.nearness(first, attempt.executed) for first, _ in missing), default=(0, 0))
        deciders = self._deciding.deciders([first for first, _ in missing], attempt.executed)
        taken, arguments, _ = view(attempt.draft.module, attempt.module)
        alternatives = Alternatives(self._constructor, taken, arguments, deciders)
        for order, (words, draft) in enumerate(alternatives.named(attempt.draft)):
            self._push(Step(draft, (*changes, words)), nearness, order)
        if not changes:
            for order, (words, draft) in zip(range(_OTHERS_OF_ONE), alternatives.others(attempt.draft), strict=False):
                self._push(Step(draft, (words,)), (0, 0), order)

    def _push(self, step: Step, nearness: tuple[int, int], order: int) -> None:
        if step.draft.text not in self._seen:
            self._seen.add(step.draft.text)
            heapq.heappush(self._queue, ((-nearness[0], -nearness[1], len(step.changes), order), len(self._seen), step))


def _runs(attempt: Attempt, lines: Lines) -> bool:
    return any(lines[0] <= line <= lines[1] for line in attempt.executed)
