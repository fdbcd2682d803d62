"""Sending the files of an audit to a Dask cluster and taking in what comes back."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import Future, as_completed
from typing import Any

from flake8_torchtrace.audit.check import Checked
from flake8_torchtrace.cluster.job import Job, Row
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify.store import Store

_REACH = 30
EXTRA = "pip install 'flake8-torchtrace[cluster]'"


def check_all(paths: Sequence[str], address: str, job: Job, store: Store | None, done: Callable[[Checked], None]) -> bool:
    """Give every file's `Checked` to ``done``, as ``audit.pool`` does on this machine, and keep in ``store`` what torch said.

    Files of a worker that is lost are given to another. Raises UsageError if there is no cluster at ``address``.
    """
    from flake8_torchtrace.cluster.remote import check

    with connected(address) as client:
        executor = client.get_executor(pure=False)
        try:
            futures: dict[Future[Any], str] = {}
            for path in paths:
                rows = store.rows(os.path.realpath(path)) if store is not None else []
                futures[executor.submit(check, job, path, rows)] = path
            for future in as_completed(futures):
                checked, rows = _result(future, futures[future])
                if store is not None:
                    store.adopt(rows)
                done(checked)
        except KeyboardInterrupt:
            executor.shutdown(wait=False)
            return False
    return True


def connected(address: str, seconds: float = _REACH) -> Any:
    """A client of the cluster, which has a worker. Raises UsageError if it has none within ``seconds``."""
    try:
        import distributed
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        raise UsageError(f"--cluster needs dask.distributed: {EXTRA}") from error
    client_class: Any = distributed.Client  # it has no annotations
    try:
        # A client that gets no connection complains once more when it is thrown away.
        socket.create_connection(get_address_host_port(address), seconds).close()
        client = client_class(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, asyncio.TimeoutError) as error:
        raise UsageError(f"--cluster: there is no Dask scheduler at {address}: {error}") from error
    try:
        client.wait_for_workers(1, timeout=seconds)
    except asyncio.TimeoutError as error:
        client.close()
        raise UsageError(f"--cluster: the scheduler at {address} has no worker") from error
    return client


def _result(future: Future[Any], path: str) -> tuple[Checked, list[Row]]:
    try:
        checked, rows = future.result()
    except Exception as error:  # such as KilledWorker: whatever became of it, the other files go on
        return Checked(path, problem=f"no worker of the cluster could check it ({type(error).__name__}: {_first_line(error)})"), []
    return checked, rows


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "")
