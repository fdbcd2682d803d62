"""Findings that are accepted for now: counts by file, code and function, without lines, so that edits elsewhere change nothing."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from flake8_torchtrace.usage import UsageError

_VERSION = 1
_LONGEST = 200


@dataclass(frozen=True)
class Entry:
    """``count`` findings of ``code`` in ``function`` of ``file``. ``sources``: their code, which finds them again under another name."""

    file: str
    code: str
    function: str
    sources: tuple[str, ...]

    @property
    def words(self) -> str:
        """For a person."""
        place = f"{self.file}, {self.function}" if self.function else self.file
        return f"{place}: {self.code} `{self.sources[0]}`" if len(self.sources) == 1 else f"{place}: {self.code}, {len(self.sources)} times"


@dataclass(frozen=True)
class Place:
    """Where a finding is, as the baseline sees it. ``file`` is relative to the baseline, with slashes."""

    file: str
    code: str
    function: str
    source: str

    @property
    def short(self) -> str:
        """The source as an entry keeps it."""
        return self.source[:_LONGEST]


@dataclass(frozen=True)
class Compared:
    """``known`` tells of each place whether the baseline has it; ``vanished`` is what no place stands for any more."""

    known: tuple[bool, ...]
    vanished: tuple[Entry, ...]


def read(path: str) -> list[Entry]:
    """The entries of the file ``path``. Raises UsageError."""
    try:
        with open(path, encoding="utf-8") as file:
            raw = json.load(file)
        if raw["version"] != _VERSION:
            raise UsageError(f"--baseline: {path} has version {raw['version']!r}, this flake8-torchtrace reads version {_VERSION}")
        return [_entry(item) for item in raw["entries"]]
    except FileNotFoundError:
        raise UsageError(f"--baseline: there is no file {path}; --update-baseline makes it") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--baseline: cannot read {path}: {error}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(f"--baseline: {path} is not a baseline of torchtrace audit ({type(error).__name__}: {error})") from error


def _entry(raw: dict[str, Any]) -> Entry:
    found = Entry(raw["file"], raw["code"], raw["function"], tuple(raw["sources"]))
    texts = (found.file, found.code, found.function, *found.sources)
    if raw["count"] != len(found.sources) or not all(isinstance(text, str) for text in texts):
        raise ValueError(f"the entry of {found.file} contradicts itself")
    return found


def write(path: str, places: Iterable[Place], kept: Iterable[Entry]) -> None:
    """Make the file ``path`` say ``places``, and ``kept`` of files that were not looked at. Raises UsageError."""
    sources: dict[tuple[str, str, str], list[str]] = {(item.file, item.code, item.function): list(item.sources) for item in kept}
    for place in places:
        sources.setdefault((place.file, place.code, place.function), []).append(place.short)
    entries = [
        {"file": file, "code": code, "function": function, "count": len(found), "sources": sorted(found)}
        for (file, code, function), found in sorted(sources.items())
    ]
    folder = os.path.dirname(os.path.abspath(path))
    try:
        descriptor, temporary = tempfile.mkstemp(dir=folder)
        try:
            with open(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file_:  # what that makes of a lone surrogate is JSON
                file_.write(json.dumps({"version": _VERSION, "entries": entries}, indent=1, ensure_ascii=False) + "\n")
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise UsageError(f"--update-baseline: cannot write {path}: {error.strerror}") from error


def compare(
    entries: Sequence[Entry], places: Sequence[Place], is_gone: Callable[[str], bool], functions: Callable[[str], frozenset[str] | None]
) -> Compared:
    """Which ``places`` the baseline has.

    A place is known by its file, code and function, as often as the entry counts. What is left of an entry whose function or file
    is no more stands for the same code elsewhere: it was moved or renamed.

    Args:
        is_gone: whether a file is there no more.
        functions: the names of the functions of a file; None if it was not looked at.
    """
    left = {(item.file, item.code, item.function): list(item.sources) for item in entries}
    known = [False] * len(places)
    exact: dict[tuple[str, str, str], list[int]] = {}
    for index, place in enumerate(places):
        exact.setdefault((place.file, place.code, place.function), []).append(index)
    for key, indexes in exact.items():
        _take(left.get(key, []), indexes, places, known)

    def is_orphan(file: str, function: str) -> bool:
        defined = functions(file)
        return is_gone(file) or (defined is not None and bool(function) and function not in defined)

    orphans = {key: sources for key, sources in left.items() if sources and is_orphan(key[0], key[2])}
    for index, place in enumerate(places):
        if not known[index]:
            known[index] = _moved(place, orphans)
    rest = [Entry(*key, tuple(sources)) for key, sources in left.items() if sources]
    return Compared(tuple(known), tuple(item for item in rest if is_gone(item.file) or functions(item.file) is not None))


def _take(sources: list[str], indexes: Sequence[int], places: Sequence[Place], known: list[bool]) -> None:
    """Mark as many of ``indexes`` as there are ``sources``, those first whose code is the same."""
    for index in indexes:
        if places[index].short in sources:
            sources.remove(places[index].short)
            known[index] = True
    for index in indexes:
        if sources and not known[index]:
            sources.pop(0)
            known[index] = True


def _moved(place: Place, orphans: dict[tuple[str, str, str], list[str]]) -> bool:
    """Whether ``place`` is what an orphan stood for, which then is used up."""
    alike = [key for key, sources in orphans.items() if key[1] == place.code and place.short in sources]
    if not alike:
        return False
    best = max(alike, key=lambda key: (key[2] == place.function, key[0] == place.file))
    orphans[best].remove(place.short)
    return True
