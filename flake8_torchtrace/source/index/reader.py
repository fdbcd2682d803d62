"""Looks answers up in an index that is ready: what a linting process needs."""

from __future__ import annotations

import json
import os
import sqlite3

from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.index.asking import IndexProject
from flake8_torchtrace.source.index.modules import Modules
from flake8_torchtrace.source.index.portable import Json
from flake8_torchtrace.source.index.questions import question
from flake8_torchtrace.source.project import NO_PROJECT, Entry, Project


class Reader:
    """An index file opened to read. ``root`` is the project's directory."""

    def __init__(self, path: str, root: str) -> None:
        """Raises ``sqlite3.Error`` if there is no such file or it is damaged."""
        self._root = os.path.realpath(root)
        self._process = os.getpid()
        self.path = path
        self._db = sqlite3.connect(f"file:{_quoted(path)}?mode=ro&immutable=1", uri=True)
        rows = self._db.execute("SELECT path, name, is_package FROM file ORDER BY path").fetchall()
        self._packages = {path for path, _, is_package in rows if is_package}
        self.modules = Modules((path, name) for path, name, _ in rows)

    @property
    def is_own(self) -> bool:
        """Whether this process opened it: SQLite connections must not be carried over a fork."""
        return self._process == os.getpid()

    def project_for(self, path: str) -> Project:
        """The project as the file ``path`` sees it; without knowledge for files outside of it."""
        relative = os.path.relpath(os.path.realpath(path), self._root).replace(os.sep, "/")
        module = self.modules.identity(relative)
        if module is None:
            return NO_PROJECT
        return StoredProject(self, module, relative in self._packages)

    def value(self, text: str) -> Json:
        """The answer to a question; None if it was never asked."""
        row = self._db.execute("SELECT value FROM question WHERE text = ?", (text,)).fetchone()
        return None if row is None else json.loads(row[0])

    def entries(self, module: str) -> list[tuple[str, str, str | None]]:
        """The entries of a module: question, chain and owner."""
        return self._db.execute(
            "SELECT text, chain, owner FROM entry JOIN question ON id = question WHERE entry.module = ? ORDER BY place", (module,)
        ).fetchall()


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(os.path.abspath(path))


class StoredProject(IndexProject):
    """Answers come from the index file."""

    def __init__(self, reader: Reader, module: str, is_package: bool) -> None:
        super().__init__(reader.modules, module)
        self._reader = reader
        self._is_package = is_package

    def module_name(self, path: str) -> tuple[str, bool]:
        return self.module, self._is_package

    def ask(self, text: str) -> Json:
        return self._reader.value(text)

    def choose(self, function: str, forms: list[str]) -> str:
        return next((form for form in forms if self._reader.value(form) is not None), forms[-1])

    def is_traced(self) -> bool:
        return bool(self._reader.value(question("root", self.module)) or self._reader.entries(self.module))

    def entries(self) -> list[Entry]:
        found = []
        for text, chain, owner in self._reader.entries(self.module):
            found.append(self.decode_entry(text, Frame(None, {}, tuple(json.loads(chain)), owner)))
        return found
