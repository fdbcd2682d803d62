"""All promises of a project: those of pyproject.toml and those that stand in its files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flake8_torchtrace.ready.marks import WORD, marks
from flake8_torchtrace.ready.names import Names, Place, UnknownNameError
from flake8_torchtrace.ready.outline import read_source
from flake8_torchtrace.ready.promises import PromiseError, Promises
from flake8_torchtrace.ready.table import Entry, chosen
from flake8_torchtrace.usage import UsageError

_NOT_SEARCHED = ("node_modules", "__pycache__", "build", "dist")


@dataclass(frozen=True)
class Promised:
    """One class with all that it promises; ``where`` says in words where it does."""

    place: Place
    promises: Promises
    where: str

    @property
    def name(self) -> str:
        """The dotted name of the class."""
        return self.place.name


def make_names(project: str) -> Names:
    """Names as the code in the folder ``project`` has them."""
    return Names([project, os.path.join(project, "src")])


def collect(entries: Sequence[Entry], names: Names, files: Iterable[str]) -> list[Promised]:
    """What ``entries`` and the marks in ``files`` promise, by path and line.

    Raises:
        UsageError: an entry stands for no class, a mark cannot be read, or two declarations contradict each other.
    """
    found = [*_of_entries(entries, names), *(item for path in files for item in _of_file(path, names))]
    joined: dict[tuple[str, str], Promised] = {}
    for item in found:
        key = (item.place.path, item.place.outline.name)
        joined[key] = _both(joined[key], item) if key in joined else item
    kept = [item for item in joined.values() if item.promises.made]
    return sorted(kept, key=lambda item: (item.place.path, item.place.outline.span))


def marked_files(paths: Sequence[str]) -> Iterator[str]:
    """The Python files under ``paths`` in which a promise may stand."""
    return (path for path in python_files(paths) if _mentions(path))


def python_files(paths: Sequence[str]) -> Iterator[str]:
    """The Python files under ``paths``, by real path; no hidden folders, no environments, nothing that was built."""
    for path in paths:
        if os.path.isfile(path):
            yield os.path.realpath(path)
            continue
        for base, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if _is_searched(os.path.join(base, name)))
            yield from (os.path.realpath(os.path.join(base, name)) for name in sorted(names) if name.endswith(".py"))


def _of_entries(entries: Sequence[Entry], names: Names) -> Iterator[Promised]:
    places: dict[tuple[str, str], Place] = {}
    spoken: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        try:
            found = names.matching(entry) if entry.is_glob else [names.find(entry.pattern)]
        except UnknownNameError as error:
            raise UsageError(f"{entry.where}: {error}") from error
        for place in found:
            key = (place.path, place.outline.name)
            places[key] = place
            spoken.setdefault(key, [place.name]).append(place.name if entry.is_glob else entry.pattern)
    for key, place in places.items():
        entry_ = chosen(entries, spoken[key])
        if entry_ is not None:
            yield Promised(place, entry_.promises, entry_.where)


def _of_file(path: str, names: Names) -> Iterator[Promised]:
    try:
        source = read_source(path)
        lines = names.outline(path)
    except (UnknownNameError, OSError, UnicodeDecodeError, SyntaxError) as error:
        raise UsageError(str(error) if isinstance(error, UnknownNameError) else f"cannot read {path}: {error}") from error
    found, mistakes = marks(source, lines)
    for mistake in mistakes:
        raise UsageError(f"{os.path.relpath(path)}:{mistake.line}: {mistake.text}")
    module = names.names_of(path)[0]
    for mark in found:
        place = Place(path, lines.classes[mark.name], f"{module}.{mark.name}")
        yield Promised(place, mark.promises, f"{os.path.relpath(path)}:{mark.line}")


def _both(one: Promised, other: Promised) -> Promised:
    where = f"{one.where} and {other.where}"
    try:
        return Promised(one.place, one.promises | other.promises, where)
    except PromiseError as error:
        raise UsageError(f"{where}: {error}") from error


def _is_searched(folder: str) -> bool:
    name = os.path.basename(folder)
    return not name.startswith(".") and name not in _NOT_SEARCHED and not os.path.exists(os.path.join(folder, "pyvenv.cfg"))


def _mentions(path: str) -> bool:
    try:
        return WORD.encode() in Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
