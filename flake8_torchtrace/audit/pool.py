"""Many files in several processes: in any order, none lost when a process dies, and what is done kept when a person interrupts."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool

from flake8_torchtrace.audit.check import Checked, Checker
from flake8_torchtrace.audit.settings import Settings, begin

_FORK = "fork"
_DIED = "the process that checked this file died"
# So many times all workers start again together; then one alone tells which file it is that kills them.
_TOGETHER = 2

_checker: Checker | None = None


def check_all(
    paths: Sequence[str], jobs: int, settings: Settings, checker: Checker, done: Callable[[Checked], None]
) -> bool:
    """Give every file's `Checked` to ``done``. False if a person interrupted; what was done until then was given."""
    global _checker
    _checker = checker
    try:
        if jobs == 1 or len(paths) < 2:
            for path in paths:
                done(checker.check(path))
        else:
            _in_processes(list(paths), jobs, settings, done)
    except KeyboardInterrupt:
        return False
    finally:
        _checker = None
    return True


def _in_processes(paths: list[str], jobs: int, settings: Settings, done: Callable[[Checked], None]) -> None:
    deaths = 0
    while paths:
        workers = min(jobs if deaths < _TOGETHER else 1, len(paths))
        finished = _round(paths, workers, settings, done)
        paths = [path for path in paths if path not in finished]
        if paths and workers == 1:
            done(Checked(paths.pop(0), problem=_DIED))  # one worker takes them in order
        deaths += 1


def _round(paths: Sequence[str], workers: int, settings: Settings, done: Callable[[Checked], None]) -> set[str]:
    """Check until all is done or a worker dies; the files that are done."""
    finished: set[str] = set()
    method = _FORK if _FORK in multiprocessing.get_all_start_methods() else None
    executor = ProcessPoolExecutor(workers, multiprocessing.get_context(method), _begin_worker, (settings,))
    try:
        futures: list[Future[Checked]] = [executor.submit(_check, path) for path in paths]
        for future in as_completed(futures):
            checked = future.result()
            finished.add(checked.path)
            done(checked)
    except BrokenProcessPool:
        return finished
    finally:
        _end(executor)
    return finished


def _end(executor: ProcessPoolExecutor) -> None:
    for worker in multiprocessing.active_children():
        worker.kill()
    executor.shutdown(wait=True, cancel_futures=True)


def _begin_worker(settings: Settings) -> None:
    """The main process alone hears Ctrl-C, and ends its workers. One that was not forked makes its own checker."""
    global _checker
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if _checker is None:
        _checker = Checker(*begin(settings))


def _end_with_parent() -> None:
    """A worker whose main process was killed would wait for work for ever."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _check(path: str) -> Checked:
    assert _checker is not None
    return _checker.check(path)
