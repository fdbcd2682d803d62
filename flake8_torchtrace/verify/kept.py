"""What running programs showed, on disk beside the other answers of torch. Plain data: nothing of it is ever executed."""

from __future__ import annotations

import functools
import json
import platform
import sqlite3
from collections.abc import Iterable
from typing import Any

from ..model import Target
from . import launch
from .digests import of_bytes
from .facts import of_code, of_torch
from .store import Store, believed, seal

_SCHEMA = 1
_TABLE = f"recorded_{_SCHEMA}"
_COLUMNS = "facts, path, name, digests, value, seal"
_CREATE = f"CREATE TABLE IF NOT EXISTS {_TABLE} (facts, path, name, digests, value, seal, PRIMARY KEY (path, name))"
_KEPT = 32

Run = dict[str, Any]
"""As ``verify.results.parse_run`` takes it, with ``torch``: the version."""


class Kept(Store):
    """The recorded runs in ``folder``."""

    def put(self, path: str, name: str, digests: dict[str, str], run: Run) -> None:
        """Keep ``run`` of the file ``path`` in place of the one of that ``name``, and of others for ``path`` the newest few."""
        texts = [json.dumps(part, sort_keys=True) for part in (digests, run)]
        row = (_facts(), path, name, *texts)

        def write(connection: sqlite3.Connection) -> None:
            with connection:
                connection.execute(_CREATE)
                connection.execute(f"INSERT OR REPLACE INTO {_TABLE} ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", (*row, seal(*row)))
                newest = f"SELECT rowid FROM {_TABLE} WHERE path = ? ORDER BY rowid DESC LIMIT {_KEPT}"
                connection.execute(f"DELETE FROM {_TABLE} WHERE path = ? AND rowid NOT IN ({newest})", (path, path))

        self._do(write)

    def runs(self, path: str) -> list[Run]:
        """The runs of the file ``path`` for which all is as it was: their files, torch, Python, this tool."""

        def read(connection: sqlite3.Connection) -> list[tuple[Any, ...]]:
            connection.execute(_CREATE)
            return connection.execute(f"SELECT {_COLUMNS} FROM {_TABLE} WHERE path = ? ORDER BY rowid", (path,)).fetchall()

        rows = self._do(read) or []
        current = [row for row in rows if row[0] == _facts()]
        return [run for run in map(believed, current) if run is not None]


def of_targets(runs: Iterable[Run], targets: Iterable[Target]) -> list[Run]:
    """Those of ``runs`` that say something of all ``targets``."""
    wanted = {target.value for target in targets}
    return [run for run in runs if run["reason"] is not None or wanted <= set(run["targets"])]


@functools.cache
def _facts() -> str:
    """What all of them depend on besides files."""
    known = [of_code(launch.PACKAGE), platform.python_implementation(), platform.python_version(), platform.machine(), of_torch()]
    return of_bytes(json.dumps(known).encode())
