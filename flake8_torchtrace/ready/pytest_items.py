"""``pytest --torchtrace-ready``: a test for each promise. ``-m torchtrace_ready`` runs these alone."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.ready import show
from flake8_torchtrace.ready.collect import Promised
from flake8_torchtrace.ready.experiments import ask
from flake8_torchtrace.ready.hold import Held, hold
from flake8_torchtrace.ready.project import Project, read_project, settings_of
from flake8_torchtrace.ready.promises import Promise
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify import Session

MARKER = "torchtrace_ready"
_DEFAULTS = argparse.Namespace(timeout=None, recipes=None, no_store=False, python=sys.executable)


def begin(config: pytest.Config) -> None:
    """Register what adds the tests. Raises pytest.UsageError for a mistake in the promises."""
    config.addinivalue_line("markers", f"{MARKER}: a promise of torch.compile or torch.export, checked by --torchtrace-ready")
    if getattr(config.option, "numprocesses", None) and not hasattr(config, "workerinput"):
        return  # pytest-xdist: its workers collect
    config.pluginmanager.register(Promises(), "torchtrace-ready")


class Promises:
    """The promises of the project, with what torch said of them."""

    def __init__(self) -> None:
        try:
            self._project: Project = read_project()
            self._session = Session(settings_of(self._project, _DEFAULTS))
            self._promised = self._project.promised()
        except UsageError as error:
            raise pytest.UsageError(f"--torchtrace-ready: {error}") from error
        if not self._promised:
            raise pytest.UsageError("--torchtrace-ready: nothing is promised in [tool.torchtrace.ready] or in the code")
        self._held: dict[str, list[Held]] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Add a test for each promise."""
        for promised in self._promised:
            for promise in promised.promises.ordered:
                item = PromiseItem.from_parent(
                    session, name=promised.promises.words(promise), nodeid=f"torchtrace-ready::{promised.name}::{promised.promises.words(promise)}"
                )
                item.prepare(self, promised, promise)
                item.add_marker(MARKER)
                items.append(item)

    def pytest_unconfigure(self) -> None:
        """The tests are over."""
        self._session.close()

    def held(self, promised: Promised, promise: Promise) -> Held:
        """What became of one promise."""
        if promised.name not in self._held:
            self._held[promised.name] = hold(promised, ask(self._session, promised), self._project.blame)
        return next(item for item in self._held[promised.name] if promise in (item.promise, *item.follows))


class PromiseItem(pytest.Item):
    """One promise of one class."""

    _promises: Promises
    _promised: Promised
    _promise: Promise

    def prepare(self, promises: Promises, promised: Promised, promise: Promise) -> None:
        """Say which promise it is."""
        self._promises, self._promised, self._promise = promises, promised, promise

    def runtest(self) -> None:
        """Hold it."""
        held = self._promises.held(self._promised, self._promise)
        if not held.is_kept:
            raise PromiseBrokenError(show.line(held))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The line that ``torchtrace ready`` prints."""
        if isinstance(excinfo.value, PromiseBrokenError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the class is."""
        return Path(self._promised.place.path), self._promised.place.outline.span.line - 1, f"{self._promised.name} promises {self.name}"


class PromiseBrokenError(Exception):
    """The text is the line that says so."""
