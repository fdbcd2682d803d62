"""What a Dask worker runs: one file, by a helper that is kept for the next."""

from __future__ import annotations

import threading

from flake8_torchtrace.audit.check import Checked
from flake8_torchtrace.cluster.job import Job, Row
from flake8_torchtrace.cluster.watch import DiedError, Helper, HelperError

_ATTEMPTS = 2
_lock = threading.Lock()
_idle: list[tuple[Job, Helper]] = []


def check(job: Job, path: str, rows: list[Row]) -> tuple[Checked, list[Row]]:
    """What is told of the file ``path``, and rows that are new to the store. Never raises for what the file does."""
    reason = ""
    for _ in range(_ATTEMPTS):
        try:
            helper = _take(job) or Helper(job)
            checked, new = helper.check(path, rows)
        except DiedError as error:
            reason = str(error)
            continue
        except HelperError as error:
            return Checked(path, problem=str(error)), []
        with _lock:
            _idle.append((job, helper))
        return checked, new
    return Checked(path, problem=reason), []


def _take(job: Job) -> Helper | None:
    """An idle helper for ``job``; those of other audits are ended."""
    with _lock:
        mine = [helper for other, helper in _idle if other == job]
        for other, helper in _idle:
            if other != job:
                helper.kill()
        _idle[:] = [(job, helper) for helper in mine[1:]]
    return mine[0] if mine else None
