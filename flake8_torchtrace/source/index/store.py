"""The index file: SQLite with questions, answers, what was asked on the way and what is traced from where."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from flake8_torchtrace.source.index.portable import Json

SCHEMA = 8
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE file (path TEXT PRIMARY KEY, name TEXT NOT NULL, is_package INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
    hash TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE question (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE, module TEXT NOT NULL, value TEXT);
CREATE TABLE asked (parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
CREATE TABLE reached (parent INTEGER NOT NULL, child INTEGER NOT NULL, chain TEXT NOT NULL, owner TEXT, PRIMARY KEY (parent, child)) WITHOUT ROWID;
CREATE TABLE entry (module TEXT NOT NULL, place INTEGER NOT NULL, question INTEGER NOT NULL, chain TEXT NOT NULL, owner TEXT,
    PRIMARY KEY (module, place)) WITHOUT ROWID;
"""
_PRAGMAS = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-131072;"  # KiB: all of most projects
TABLES = ("meta", "file", "question", "asked", "reached", "entry")


@dataclass(eq=False, slots=True)
class Record:
    """An answer, with the questions it rests on and the calls that are traced when this one is (text, chain, owner)."""

    module: str
    value: Json = None
    asked: dict[str, None] = field(default_factory=dict)
    reached: dict[str, tuple[tuple[str, ...], str | None]] = field(default_factory=dict)


class Store:
    """Reads and writes an index file. Errors of the database come out as ``sqlite3.Error``."""

    def __init__(self, connection: sqlite3.Connection, is_new: bool) -> None:
        self._db = connection
        self._is_new = is_new
        self._ids: dict[str, int] = {}

    @staticmethod
    def create(path: str) -> Store:
        """A new file; nothing is on disk for sure before `commit`."""
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(f"{_PRAGMAS} BEGIN; {_TABLES}")
        return Store(connection, True)

    @staticmethod
    def open(path: str) -> Store:
        """An existing copy, to be changed."""
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript(f"{_PRAGMAS} BEGIN;")
        return Store(connection, False)

    def close(self) -> None:
        """Write and close."""
        if self._db.in_transaction:
            self._db.execute("COMMIT")
        self._db.close()

    def discard(self) -> None:
        """Close without writing."""
        self._db.close()

    # -- header ----------------------------------------------------------------------------------------------------------

    def set_meta(self, values: dict[str, str]) -> None:
        """Write the header."""
        self._db.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", values.items())

    def set_files(self, rows: Iterable[tuple[str, str, int, int, int, str]]) -> None:
        """Write the list of files."""
        self._db.execute("DELETE FROM file")
        self._db.executemany("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?)", rows)

    # -- answers ---------------------------------------------------------------------------------------------------------

    def id_of(self, text: str) -> int:
        """The number of a question, new if need be."""
        found = self._ids.get(text)
        if found is None:
            row = None if self._is_new else self._db.execute("SELECT id FROM question WHERE text = ?", (text,)).fetchone()
            if row is None:
                found = self._db.execute("INSERT INTO question (text, module, value) VALUES (?, '', NULL)", (text,)).lastrowid
            else:
                found = row[0]
            assert found is not None
            self._ids[text] = found
        return found

    def value(self, text: str) -> tuple[Json] | None:
        """The stored answer in a tuple; None if there is none."""
        row = self._db.execute("SELECT value FROM question WHERE text = ?", (text,)).fetchone()
        return None if row is None or row[0] is None else (json.loads(row[0]),)

    def load(self, text: str) -> Record | None:
        """The stored answer with what it rests on; None if there is none."""
        row = self._db.execute("SELECT id, module, value FROM question WHERE text = ?", (text,)).fetchone()
        if row is None or row[2] is None:
            return None
        number, module, value = row
        asked = self._db.execute("SELECT text FROM asked JOIN question ON id = child WHERE parent = ?", (number,))
        return Record(module, json.loads(value), dict.fromkeys(text for (text,) in asked))

    def save(self, text: str, record: Record) -> None:
        """Write an answer over the one before."""
        number = self.id_of(text)
        value = json.dumps(record.value, separators=(",", ":"))
        self._db.execute("UPDATE question SET module = ?, value = ? WHERE id = ?", (record.module, value, number))
        if not self._is_new:
            self._db.execute("DELETE FROM asked WHERE parent = ?", (number,))
            self._db.execute("DELETE FROM reached WHERE parent = ?", (number,))
        self.add_asked(text, record.asked)
        reached = [(number, self.id_of(child), json.dumps(chain), owner) for child, (chain, owner) in record.reached.items()]
        self._db.executemany("INSERT INTO reached VALUES (?, ?, ?, ?)", reached)

    def add_asked(self, text: str, children: Iterable[str]) -> None:
        """Note that the answer to ``text`` also rests on ``children``."""
        number = self.id_of(text)
        self._db.executemany("INSERT OR IGNORE INTO asked VALUES (?, ?)", [(number, self.id_of(child)) for child in children])

    def questions_of_kind(self, kind: str) -> list[str]:
        """The questions of one kind."""
        start = f'["{kind}",'
        rows = self._db.execute("SELECT text FROM question WHERE text >= ? AND text < ?", (start, start + "\U0010ffff"))
        return [text for (text,) in rows]

    def resting_on(self, modules: Iterable[str], texts: Iterable[str]) -> set[str]:
        """The questions answered in one of ``modules``, those of ``texts``, and all that rest on such."""
        self._db.executescript("CREATE TEMP TABLE IF NOT EXISTS seed (id INTEGER PRIMARY KEY); DELETE FROM seed;")
        self._db.executemany("INSERT OR IGNORE INTO seed SELECT id FROM question WHERE module = ?", [(module,) for module in modules])
        self._db.executemany("INSERT OR IGNORE INTO seed SELECT id FROM question WHERE text = ?", [(text,) for text in texts])
        dirty = {number for (number,) in self._db.execute("SELECT id FROM seed")}
        parents: dict[int, list[int]] = {}
        for parent, child in self._db.execute("SELECT parent, child FROM asked"):
            parents.setdefault(child, []).append(parent)
        waiting = list(dirty)
        while waiting:
            for parent in parents.get(waiting.pop(), ()):
                if parent not in dirty:
                    dirty.add(parent)
                    waiting.append(parent)
        names = self._db.execute("SELECT id, text FROM question")
        return {text for number, text in names if number in dirty}

    # -- what is traced ----------------------------------------------------------------------------------------------------

    def edges(self) -> Iterator[tuple[int, int, str, str | None]]:
        """The calls that are traced: caller, callee, chain and owner."""
        yield from self._db.execute("SELECT parent, child, chain, owner FROM reached")

    def dependences(self) -> Iterator[tuple[int, int]]:
        """Which answer rests on which."""
        yield from self._db.execute("SELECT parent, child FROM asked")

    def texts(self) -> dict[int, str]:
        """All questions by number."""
        return dict(self._db.execute("SELECT id, text FROM question"))

    def forget(self, numbers: Iterable[int]) -> None:
        """Remove questions."""
        rows = [(number,) for number in numbers]
        for table, column in (("question", "id"), ("asked", "parent"), ("reached", "parent")):
            self._db.executemany(f"DELETE FROM {table} WHERE {column} = ?", rows)

    def set_entries(self, rows: Iterable[tuple[str, int, int, str, str | None]]) -> None:
        """Write the list of entries: module, place in the list, question, chain, owner."""
        self._db.execute("DELETE FROM entry")
        self._db.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?)", rows)
