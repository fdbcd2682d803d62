"""A helper process and the limits of time and memory within which it must answer. Runs on a worker."""

from __future__ import annotations

import contextlib
import os
import pickle
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

import psutil

from flake8_torchtrace.cluster.job import Job, Row
from flake8_torchtrace.verify.facts import VARIABLES

_POLL = 0.25
_START = 120.0
_MEBIBYTE = 1 << 20
_COMMAND = (sys.executable, "-m", "flake8_torchtrace.cluster.helper")


class HelperError(Exception):
    """There is no answer; the text says why, for the user."""


class DiedError(HelperError):
    """The helper ended by itself."""


class Helper:
    """Started when it is made, by ``command``. Raises HelperError if it cannot work here."""

    def __init__(self, job: Job, command: Sequence[str] = _COMMAND) -> None:
        self._job = job
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        environment = {name: value for name, value in os.environ.items() if not name.startswith(VARIABLES)}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._log, env={**environment, **job.environment},
        )  # fmt: skip
        self._say(job)
        differences = self._answer(_START)
        if differences:
            self.kill()
            raise HelperError(f"the worker on {os.uname().nodename} has {differences}")

    def check(self, path: str, rows: list[Row]) -> Any:
        """What the helper answers. Raises HelperError, and then the helper is gone."""
        self._say((path, rows))
        return self._answer(self._job.seconds)

    def kill(self) -> None:
        """End it and all that it started."""
        for process in self._family():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self._process.wait()

    def _say(self, what: object) -> None:
        assert self._process.stdin is not None
        try:
            pickle.dump(what, self._process.stdin)
            self._process.stdin.flush()
        except OSError:
            self._raise_died()

    def _answer(self, seconds: float) -> Any:
        assert self._process.stdout is not None
        end = time.monotonic() + seconds
        while not select.select([self._process.stdout], [], [], _POLL)[0]:
            if time.monotonic() > end:
                self._give_up(f"took longer than the limit of {seconds:g} s")
            if self._memory() > self._job.mebibytes * _MEBIBYTE:
                self._give_up(f"took more memory than the limit of {self._job.mebibytes} MiB")
        try:
            return pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            self._raise_died()

    def _give_up(self, why: str) -> None:
        self.kill()
        raise HelperError(f"checking it {why}")

    def _raise_died(self) -> None:
        self.kill()
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read().decode(errors="replace").splitlines() if line.strip()]
        raise DiedError(f"the process that checked it died{f': {lines[-1][-200:]}' if lines else ''}")

    def _family(self) -> list[psutil.Process]:
        """All below it, and itself."""
        try:
            own = psutil.Process(self._process.pid)
            return [*own.children(recursive=True), own]
        except psutil.NoSuchProcess:
            return []

    def _memory(self) -> int:
        """Bytes that they hold; what they share counts once where the system tells (Linux)."""
        total = 0
        for process in self._family():
            with contextlib.suppress(psutil.Error):
                info = process.memory_full_info()
                total += getattr(info, "pss", info.rss)
        return total
