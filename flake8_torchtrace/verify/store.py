"""Answers of the verification server on disk, in SQLite. They are plain data: nothing in the file is ever executed."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ..folder import STORE
from .digests import is_current, of_bytes
from .locks import one_at_a_time

_LOG = logging.getLogger("flake8.torchtrace")
_SCHEMA = 1
_KEPT = 8
_PATIENCE = 30.0
_COLUMNS = "key, start, path, digests, value, seal"
_TABLE = f"CREATE TABLE IF NOT EXISTS answer_{_SCHEMA} (key, start, path, digests, value, seal, PRIMARY KEY (key, digests))"
_INDEX = f"CREATE INDEX IF NOT EXISTS path_{_SCHEMA} ON answer_{_SCHEMA} (path, start)"
# What a file that is whole may answer; all else says that it is damaged.
_HINDERED = ("locked", "busy", "readonly", "read-only", "unable to open", "full", "disk i/o", "permission")

Answer = dict[str, Any]
_T = TypeVar("_T")


class Store:
    """The store in ``folder``. Where it cannot be had it is empty, keeps nothing, and ``problem`` says why."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, STORE)
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self.problem = ""

    def find(self, key: str) -> Answer | None:
        """The answer for ``key`` whose files are all as they were."""
        rows = self._do(lambda connection: connection.execute(f"SELECT {_COLUMNS} FROM answer_{_SCHEMA} WHERE key = ?", (key,)).fetchall())
        return next((answer for answer in map(believed, rows or ()) if answer is not None), None)

    def has_any(self, path: str, start: str) -> bool:
        """Whether there is an answer for the file ``path`` that ``start`` belongs to, with all of its files as they were."""
        query = f"SELECT {_COLUMNS} FROM answer_{_SCHEMA} WHERE path = ? AND start = ?"
        rows = self._do(lambda connection: connection.execute(query, (path, start)).fetchall())
        return any(believed(row) is not None for row in rows or ())

    def add(self, key: str, start: str, path: str, digests: dict[str, str], answer: Answer) -> None:
        """Keep ``answer``, and of older ones for ``path`` only the newest few."""
        texts = [json.dumps(part, sort_keys=True) for part in (digests, answer)]
        self._write((key, start, path, *texts, seal(key, start, path, *texts)))

    def _write(self, row: tuple[str, ...]) -> None:
        path = row[2]

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute(f"INSERT OR REPLACE INTO answer_{_SCHEMA} ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", row)
                newest = f"SELECT rowid FROM answer_{_SCHEMA} WHERE path = ? ORDER BY rowid DESC LIMIT {_KEPT}"
                connection.execute(f"DELETE FROM answer_{_SCHEMA} WHERE path = ? AND rowid NOT IN ({newest})", (path, path))

        self._do(write)

    def rows(self, path: str) -> list[tuple[str, ...]]:
        """All that is kept of the file ``path`` (real path) and of what it defines, for another store to `adopt`."""
        query = f"SELECT {_COLUMNS} FROM answer_{_SCHEMA} WHERE path = ? OR path LIKE ? || ':%'"
        return self._do(lambda connection: connection.execute(query, (path, path)).fetchall()) or []

    def adopt(self, rows: Iterable[tuple[str, ...]]) -> None:
        """Keep ``rows`` of another store, those that are as they were written."""
        for row in rows:
            if len(row) == _COLUMNS.count(",") + 1 and all(isinstance(part, str) for part in row) and seal(*row[:-1]) == row[-1]:
                self._write(row)

    def paths_touching(self, files: Iterable[str]) -> set[str]:
        """The files whose last runs touched one of ``files`` (real paths)."""
        wanted = set(files)
        rows = self._do(lambda connection: connection.execute(f"SELECT path, digests FROM answer_{_SCHEMA}").fetchall())
        found = set()
        for path, digests in rows or ():
            with contextlib.suppress(ValueError, TypeError):
                if not wanted.isdisjoint(json.loads(digests)):
                    found.add(str(path))
        return found

    def open(self) -> None:
        """Make the file if there is none. Does not raise: see ``problem``."""
        self._do(lambda connection: None)

    def _do(self, action: Callable[[sqlite3.Connection], _T]) -> _T | None:
        """What ``action`` gives; a damaged file is set aside first, if need be. None where the store cannot be had."""
        for _ in range(2):
            if self.problem:
                return None
            try:
                return action(self._opened())
            except (OSError, sqlite3.Error) as error:
                self._drop()
                if isinstance(error, OSError) or any(word in str(error).lower() for word in _HINDERED):
                    self._give_up(error)
                else:
                    self._set_aside()
        self._give_up("it is damaged again and again")
        return None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None or self._owner != os.getpid():  # a connection must not go through a fork
            from ..folder import make

            make(self._folder)
            connection = sqlite3.connect(self._path, timeout=_PATIENCE)
            self._connection, self._owner = connection, os.getpid()
            with connection:
                for statement in (_TABLE, _INDEX):
                    connection.execute(statement)
            _check(connection)
        return self._connection

    def _drop(self) -> None:
        if self._connection is not None and self._owner == os.getpid():
            with contextlib.suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def _set_aside(self) -> None:
        """Rename the file if it is damaged still: another process may have done so."""
        try:
            with one_at_a_time(os.path.join(self._folder, "verdicts.lock")):
                if not _is_whole(self._path):
                    os.replace(self._path, f"{self._path}.damaged")
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(f"{self._path}-journal")
                    _LOG.warning("the store of verdicts was damaged; it is now %s.damaged, and a new one is made", self._path)
        except OSError as error:
            self._give_up(error)

    def _give_up(self, reason: object) -> None:
        self.problem = f"verdicts are not kept: {self._path}: {reason}"
        _LOG.warning(self.problem)


def _check(connection: sqlite3.Connection) -> None:
    """Raises sqlite3.DatabaseError if the file is damaged."""
    (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(f"damaged: {found}")
    connection.execute(f"SELECT {_COLUMNS} FROM answer_{_SCHEMA} LIMIT 1").fetchone()


def _is_whole(path: str) -> bool:
    try:
        with contextlib.closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
            _check(connection)
    except sqlite3.Error:
        return False
    return True


def believed(row: tuple[Any, ...]) -> Answer | None:
    """The answer of a row that is as it was written, if the files it rests on are as they were."""
    if not all(isinstance(part, str) for part in row) or seal(*row[:-1]) != row[-1]:
        return None
    digests, answer = json.loads(row[3]), json.loads(row[4])
    return answer if isinstance(answer, dict) and is_current(digests) else None


def seal(*parts: str) -> str:
    return of_bytes("\0".join(parts).encode("utf-8", "surrogatepass"))
