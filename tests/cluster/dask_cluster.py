"""A Dask scheduler and workers as processes on loopback."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Cluster:
    """``workers``: their processes."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@contextlib.contextmanager
def cluster(folder: Path, workers: int) -> Iterator[Cluster]:
    """Ended with the block."""
    told = folder / "scheduler.json"
    running: list[subprocess.Popen[bytes]] = []
    try:
        running.append(_start(folder, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(told)))
        address = _address(told)
        for number in range(workers):
            place = folder / f"worker{number}"
            options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60", "--local-directory", str(place))
            running.append(_start(folder, "dask_worker", address, *options))
        yield Cluster(address, running[1:])
    finally:
        for process in reversed(running):
            process.kill()
            process.wait()


def _start(folder: Path, program: str, *arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments]
    with (folder / "cluster.log").open("ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"})


def _address(told: Path) -> str:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with contextlib.suppress(FileNotFoundError, ValueError):
            return str(json.loads(told.read_text())["address"])
        time.sleep(0.1)
    raise AssertionError("the scheduler did not start")
