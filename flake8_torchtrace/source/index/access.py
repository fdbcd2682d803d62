"""The index as a linting run uses it: brought up to date once, in the run's main process, and read in all of them."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import shutil
import sqlite3

from flake8_torchtrace.source.index.reader import Reader
from flake8_torchtrace.source.index.update import FOLDER, update
from flake8_torchtrace.source.project import NO_PROJECT, Project

_VARIABLE = "TORCHTRACE_PROJECT_INDEX"


class Index:
    """The index of the directory ``root``, to be read from the file ``path``."""

    def __init__(self, root: str, path: str) -> None:
        self.root = root
        self.path = path
        self._reader: Reader | None = None

    def project_for(self, path: str) -> Project:
        """What the index knows for the file ``path``; nothing for a file outside of the project, or where the index cannot be read."""
        if self._reader is None or not self._reader.is_own:
            try:
                self._reader = Reader(self.path, self.root)
            except sqlite3.Error:
                return NO_PROJECT
        return self._reader.project_for(path)


def prepare(root: str, methods: tuple[str, ...], kept_in: str | None = None) -> Index:
    """The index of the directory ``root``, brought up to date unless this is a worker process of a run that did it.

    It lies in the folder ``kept_in``, or if that is not told in ``root`` itself.

    Raises:
        OSError: an index can be written neither in ``root`` nor among the temporary files.
    """
    path = os.environ.get(_VARIABLE) if multiprocessing.parent_process() is not None else None
    if path is None:
        path = update(root, methods, kept_in)
        os.environ[_VARIABLE] = path
        folder = os.path.dirname(path)
        if os.path.basename(folder) != FOLDER:
            atexit.register(_remove, folder, os.getpid())
    return Index(root, path)


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
