"""What was found in files that have not changed since, so that an audit that was interrupted goes on where it was.

Kept as plain data in SQLite; nothing of it is executed, and a file that is damaged is made anew.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import json
import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from typing import Any

from flake8_torchtrace import folder
from flake8_torchtrace.model import Confidence, Family, Finding, Span, Target
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.index.access import Index
from flake8_torchtrace.source.project import Project
from flake8_torchtrace.verify.launch import PACKAGE

_NAME = "findings.sqlite3"
_TABLE = "CREATE TABLE IF NOT EXISTS finding_1 (path PRIMARY KEY, key, value)"
_PATIENCE = 30.0
_DECIDES = ("flake8_torchtrace.source", "flake8_torchtrace.rules")


class Findings:
    """In the place of ``source.engine.find``. What is kept in ``place`` holds for a text, the settings, this tool, and an ``index`` as it is now."""

    def __init__(self, place: str, index: Index | None, search: Callable[..., list[Finding]] = find) -> None:
        self._place = place
        self._world = json.dumps([_code(), _state(index)])
        self._search = search
        self._connection: sqlite3.Connection | None = None
        self._owner = 0
        self._is_off = False

    def find(self, path: str, tree: ast.Module, lines: Sequence[str], settings: LintSettings, project: Project) -> list[Finding]:
        """As the function of that name."""
        key = self._key(path, lines, settings)
        known = self._read(path, key)
        if known is None:
            known = self._search(path, tree, lines, settings, project)
            self._write(path, key, known)
        return known

    def _key(self, path: str, lines: Sequence[str], settings: LintSettings) -> str:
        torch = None if settings.torch is None else settings.torch.version
        told = [path, settings.methods, settings.possible, sorted(settings.targets), settings.keeps_all, torch, self._world]
        return hashlib.blake2b("\0".join([json.dumps(told), *lines]).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

    def _read(self, path: str, key: str) -> list[Finding] | None:
        rows = self._do("SELECT value FROM finding_1 WHERE path = ? AND key = ?", (path, key))
        for (value,) in rows:
            with contextlib.suppress(ValueError, KeyError, TypeError):  # not as it was written
                return [_finding(raw) for raw in json.loads(value)]
        return None

    def _write(self, path: str, key: str, found: list[Finding]) -> None:
        self._do("INSERT OR REPLACE INTO finding_1 VALUES (?, ?, ?)", (path, key, json.dumps([_plain(item) for item in found])))

    def _do(self, statement: str, values: tuple[str, ...]) -> list[Any]:
        for _ in range(2):
            if self._is_off:
                break
            try:
                return self._opened().execute(statement, values).fetchall()
            except sqlite3.OperationalError:  # locked, full, not to be written: it can be done without
                self._is_off = True
            except sqlite3.DatabaseError:
                self._forget()
            except OSError:
                self._is_off = True
            except UnicodeEncodeError:  # a name that SQLite cannot hold
                break
        return []

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None or self._owner != os.getpid():  # a connection does not survive a fork
            folder.make(self._place)
            self._connection = sqlite3.connect(os.path.join(self._place, _NAME), timeout=_PATIENCE, isolation_level=None)
            self._owner = os.getpid()
            self._connection.execute("PRAGMA synchronous=OFF")
            self._connection.execute(_TABLE)
        return self._connection

    def _forget(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._place, _NAME))


def _code() -> list[Any]:
    """Tells the versions of what finds apart, also while it is being written."""
    folders = [os.path.join(PACKAGE, "data")]
    for name in _DECIDES:
        spec = importlib.util.find_spec(name)
        folders += list(spec.submodule_search_locations or ()) if spec is not None else []
    found: list[Any] = [sys.version]
    for place in folders:
        for here, _, names in sorted(os.walk(place)):
            for name in sorted(names):
                if not name.endswith(".pyc"):
                    status = os.stat(os.path.join(here, name))
                    found.append([name, status.st_size, status.st_mtime_ns])
    return found


def _state(index: Index | None) -> list[Any]:
    if index is None:
        return []
    status = os.stat(index.path)
    return [index.root, status.st_size, status.st_mtime_ns]


def _plain(finding: Finding) -> dict[str, Any]:
    return {
        **vars(finding),
        "span": _numbers(finding.span),
        "statement": _numbers(finding.statement),
        "related": [_numbers(span) for span in finding.related],
        "targets": sorted(target.value for target in finding.targets),
    }


def _numbers(span: Span) -> list[int]:
    return [span.line, span.column, span.end_line, span.end_column]


def _finding(raw: dict[str, Any]) -> Finding:
    told = {
        **raw,
        "span": Span(*raw["span"]),
        "statement": Span(*raw["statement"]),
        "related": tuple(Span(*numbers) for numbers in raw["related"]),
        "targets": frozenset(map(Target, raw["targets"])),
        "confidence": Confidence(raw["confidence"]),
        "family": Family(raw["family"]),
        "chain": tuple(raw["chain"]),
    }
    return Finding(**told)
