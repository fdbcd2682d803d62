"""A recording of a test run: in the process that runs the tests, or in each worker of pytest-xdist with one keeper for all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from typing import Any

import pytest

from . import options
from .program import Program
from .settings import Link

_KEY = "torchtrace_recording"


def begin(config: pytest.Config) -> None:
    """Register what listens to pytest for the rest of the run."""
    given = getattr(config, "workerinput", None)
    if given is not None:
        config.pluginmanager.register(Worker(given[_KEY]), "torchtrace-worker")
    else:
        config.pluginmanager.register(Main(config), "torchtrace-main")


class Worker:
    """Records in this process."""

    def __init__(self, directory: str) -> None:
        self._program = Program(Link(directory))
        self._program.begin()

    def pytest_unconfigure(self) -> None:
        """The tests are over."""
        self._program.end()


class Main:
    """Holds the keeper, and tells what it found."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._directory = tempfile.mkdtemp(prefix="torchtrace-")
        self._report: dict[str, Any] = {}
        self._keeper = self._started(config)
        self._program: Worker | None = None
        self._is_ready = False
        if not _workers(config):
            self._program = Worker(self._directory)

    def _started(self, config: pytest.Config) -> subprocess.Popen[str]:
        listener = Link(self._directory).listen()
        wishes = {
            "directory": self._directory, "listener": listener.fileno(), "workers": max(1, _workers(config)),
            "packages": options.names(config.getoption("--torchtrace-packages")), "calls": config.getoption("--torchtrace-calls"),
        }  # fmt: skip
        with listener:
            keeper = subprocess.Popen(
                [sys.executable, "-m", "flake8_torchtrace.capture.serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                pass_fds=[listener.fileno()], text=True, start_new_session=True,
            )  # fmt: skip
        assert keeper.stdin is not None
        keeper.stdin.write(json.dumps(wishes) + "\n")
        keeper.stdin.flush()
        return keeper

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """A worker of pytest-xdist is about to start."""
        node.workerinput[_KEY] = self._directory

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self) -> None:
        """By now the keeper knows whether its settings are in order."""
        self._check()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Ask for the verdicts."""
        if self._program is not None:
            self._program.pytest_unconfigure()
        self._check()
        fail_on = self._config.getoption("--torchtrace-fail-on")
        try:
            self._report = Link(self._directory).ask({"op": "report", "fail_on": fail_on})
        except (OSError, EOFError) as error:
            self._report = {"lines": [f"the recording ended early: {error}"], "fails": False}
        if self._report["fails"] and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Tell them."""
        if self._report:
            terminalreporter.section("torchtrace")
            for line in self._report["lines"]:
                terminalreporter.write_line(line)

    def pytest_unconfigure(self) -> None:
        """End the keeper."""
        if self._program is not None:
            self._program.pytest_unconfigure()
        self._keeper.communicate()
        shutil.rmtree(self._directory, ignore_errors=True)

    def _check(self) -> None:
        """Raises UsageError for a mistake in the settings."""
        if self._is_ready:
            return
        self._is_ready = True
        assert self._keeper.stdout is not None
        mistake = self._keeper.stdout.readline().strip()
        if mistake:
            raise pytest.UsageError(f"torchtrace: {mistake}")


def _workers(config: pytest.Config) -> int:
    """How many workers pytest-xdist has."""
    return len(getattr(config.option, "tx", None) or ()) if getattr(config.option, "dist", "no") != "no" else 0

