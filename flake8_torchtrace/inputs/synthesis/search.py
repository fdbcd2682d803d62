"""From a class to a construction and a call that work: a bounded search, the drafts that came furthest first."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

import torch

from . import configs
from .arguments import Arguments
from .attempt import Attempt, TooLongError, build, call
from .constructor import Constructor
from .draft import Draft, ordered
from .known import Known
from .repairs_of_build import BuildRepairs
from .repairs_of_call import CallRepairs
from .signatures import MISSING, Parameter, Signature, signature
from .usage import keywords, usages
from .values import Literal, Made

_MOST_TRIES = 160
_SECONDS = 25.0
PATIENCE = 1.5
_ONE_TRY = 10.0
_CHILDREN = 24
_TRIES_OF_A_START = 25


@dataclass(frozen=True)
class Found:
    """``draft`` works if ``error`` is empty; otherwise it is the one that came furthest, and ``error`` is how it failed. ``tries``: how many."""

    draft: Draft | None
    error: BaseException | None
    tries: int
    attempt: Attempt | None = None


class Search:
    """For the class ``cls`` of the imported file ``home``; ``runs``: another class whose ``forward`` the call must come to.

    ``start``: the draft to begin with, in place of the usual ones; ``path``: the file of which executed lines are kept.
    """

    def __init__(
        self, home: ModuleType, cls: Any, seconds: float = _SECONDS, tries: int = _MOST_TRIES, runs: Any = None, *,
        start: Draft | None = None, path: str = "",
    ) -> None:  # fmt: skip
        self._home = home
        self._cls = cls
        self._runs = runs
        self._end = time.process_time() + seconds  # of work, so that what else the machine does changes nothing that is found
        self._last = time.monotonic() + PATIENCE * seconds
        self._left = tries
        self._tries = tries
        self._queue: list[tuple[tuple[int, int, int], int, Draft]] = []
        self._seen: set[str] = set()
        self._failed_builds: dict[str, BaseException] = {}
        self._number = 0
        self._constructor = Constructor(home)
        self._start = start
        self._path = path

    def run(self) -> Found:
        """Search until a call works or the bounds are reached."""
        best: Attempt | None = None
        first_error: BaseException | None = None
        starts = self._starts()
        while self._left > 0 and self._rest() > 0:
            if not self._queue or (self._tries - self._left) % _TRIES_OF_A_START == 0:
                is_wanted = best is None or best.progress[0] == 0  # larger ones are for what cannot be built small
                start = next(starts, None) if is_wanted else None
                if start is not None:
                    self._push(start, (2, 0), 0)
                if not self._queue:
                    break
            draft = heapq.heappop(self._queue)[2]
            self._left -= 1
            attempt = self._try(draft)
            if attempt.error is None and self._runs is not None and self._runs.__name__ not in attempt.entered:
                attempt.error = LookupError(f"it works, but does not come to {self._runs.__name__}")
            if attempt.error is None:
                return Found(attempt.draft, None, self._tries - self._left, attempt)
            first_error = first_error or attempt.error
            if best is None or attempt.progress > best.progress:
                best = attempt
            if not isinstance(attempt.error, TooLongError):
                self._expand(attempt)
            _forget(attempt)
        if best is None:
            return Found(None, first_error or LookupError("nothing to try"), self._tries - self._left)
        return Found(best.draft, best.error, self._tries - self._left, best)

    def _starts(self) -> Iterator[Draft]:
        if self._start is not None:
            yield self._start
            return
        texts = set()
        for size, shrinks in ((configs.SCALED, True), (configs.SHALLOW, True), (configs.DEFAULT, False)):
            constructor = Constructor(self._home, size, shrinks)
            try:
                draft = Draft(constructor.made(self._cls), is_called=False)
            except LookupError:
                return
            if draft.text not in texts:
                texts.add(draft.text)
                yield draft

    def _try(self, draft: Draft) -> Attempt:
        known_failure = self._failed_builds.get(draft.module.text)
        if known_failure is not None:
            return Attempt(draft, error=known_failure)
        built = build(draft, self._limit())
        if built.error is not None:
            self._failed_builds[draft.module.text] = built.error
            return built
        if not draft.is_called:
            draft = self._first_call(draft, built.module)
        return call(draft, built.module, self._limit(), self._path)

    def _rest(self) -> float:
        """The seconds that are left."""
        return min(self._end - time.process_time(), self._last - time.monotonic())

    def _limit(self) -> float:
        return min(_ONE_TRY, max(self._rest(), 0.1))

    def _first_call(self, draft: Draft, module: Any) -> Draft:
        taken, arguments, _ = view(draft.module, module)
        return replace(draft, arguments=arguments.first(), order=ordered(taken), is_called=True)

    def _expand(self, attempt: Attempt) -> None:
        for order, draft in enumerate(self._repairs(attempt), 1):
            if order > _CHILDREN:
                return
            self._push(draft, attempt.progress, order)

    def _repairs(self, attempt: Attempt) -> Iterator[Draft]:
        builds = BuildRepairs(attempt, self._cls, self._constructor).drafts()
        if attempt.module is None:
            yield from builds
            return
        taken, arguments, known = view(attempt.draft.module, attempt.module)
        for number, draft in enumerate(CallRepairs(attempt, taken, arguments, known).drafts()):
            yield draft
            if number > 16:
                break
        yield from (replace(draft, arguments={}, is_called=False) for draft in builds)

    def _push(self, draft: Draft, progress: tuple[int, int], order: int) -> None:
        if draft.text in self._seen:
            return
        self._seen.add(draft.text)
        self._number += 1
        phase, count = progress
        heapq.heappush(self._queue, ((-phase, -count, order), self._number, draft))


def view(made: Made, module: Any) -> tuple[Signature, Arguments, Known]:
    """What the call of ``module``, built by ``made``, takes; guesses for it; and what is known of its sizes."""
    forward = module.forward if isinstance(module, torch.nn.Module) else module.__call__
    taken = _signature(forward)
    if taken.extra and not taken.parameters and isinstance(module, torch.nn.Module):
        taken = next((inner for inner in (_signature(child.forward) for child in module.children()) if inner.parameters), taken)
    more = (Parameter(name, None, MISSING) for name in keywords(forward) if taken.find(name) is None)
    taken = replace(taken, parameters=(*taken.parameters, *more))
    plain = {name: value.value for name, value in made.arguments.items() if isinstance(value, Literal)}
    known = Known(module, plain)
    document = f"{getattr(forward, '__doc__', '') or ''}\n{getattr(type(module), '__doc__', '') or ''}"
    return taken, Arguments(known, taken, usages(forward), document), known


def _signature(forward: Any) -> Signature:
    try:
        return signature(forward)
    except (TypeError, ValueError):
        return Signature(())


def _forget(attempt: Attempt) -> None:
    """Let go of the frames of a failure, which hold its tensors."""
    if attempt.error is not None:
        attempt.error.__cause__ = attempt.error.__context__ = None
    attempt.module = None
    attempt.inputs = {}
    attempt.watching = None
