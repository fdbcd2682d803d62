"""``[tool.torchtrace.ready]`` of pyproject.toml: names of classes, or globs of them, with what they promise.

flake8 loads this with its settings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from flake8_torchtrace.pyproject import ConfigError
from flake8_torchtrace.ready.promises import PromiseError, Promises, from_value, is_table_of_promises

SECTION = "[tool.torchtrace.ready]"
_WILD = re.compile(r"[*?\[]")


@dataclass(frozen=True)
class Entry:
    """``pattern`` is a dotted name, or a glob in which ``*`` stands for dots too; ``where`` says where it is written."""

    pattern: str
    promises: Promises
    where: str

    @property
    def is_glob(self) -> bool:
        """Whether it may stand for several classes."""
        return _WILD.search(self.pattern) is not None

    def matches(self, name: str) -> bool:
        """Whether the dotted ``name`` is meant."""
        return fnmatchcase(name, self.pattern) if self.is_glob else name == self.pattern


def read_entries(table: object, file: Path) -> tuple[Entry, ...]:
    """The entries of the table in ``file``. Raises ConfigError."""
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: {SECTION} must be a table of class names and what they promise")
    found = []
    for pattern, value in _flat(table):
        where = f"{file}: {SECTION} {pattern}"
        _check_pattern(pattern, where)
        try:
            found.append(Entry(pattern, from_value(value), where))
        except PromiseError as error:
            raise ConfigError(f"{where}: {error}") from None
    return tuple(found)


def chosen(entries: Iterable[Entry], names: Sequence[str]) -> Entry | None:
    """The entry that says most exactly what a class with these dotted names promises: one without a glob, then the longest."""
    fitting = [entry for entry in entries if any(map(entry.matches, names))]
    return max(fitting, key=lambda entry: (not entry.is_glob, len(entry.pattern)), default=None)


def prefix(pattern: str) -> str:
    """The dotted name before the first part of ``pattern`` that is a glob."""
    parts: list[str] = []
    for part in pattern.split("."):
        if _WILD.search(part):
            break
        parts.append(part)
    return ".".join(parts)


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Names with their values. A name without quotes makes tables within tables in TOML."""
    for key, value in table.items():
        name = f"{before}.{key}" if before else key
        if isinstance(value, dict) and not is_table_of_promises(value):
            yield from _flat(value, name)
        else:
            yield name, value


def _check_pattern(pattern: str, where: str) -> None:
    parts = pattern.split(".")
    if not all(_WILD.search(part) or part.isidentifier() for part in parts):
        raise ConfigError(f"{where}: {pattern!r} is not a dotted name such as package.module.Class, nor a glob of them")
    if len(parts) == 1 and not _WILD.search(pattern):
        raise ConfigError(f"{where}: which module is the class in? write package.module.{pattern}")
