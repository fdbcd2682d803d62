"""``torchtrace ready --propose``: what every class that can be built keeps today, as a section of pyproject.toml."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from flake8_torchtrace.ready.collect import Promised, python_files
from flake8_torchtrace.ready.experiments import Answer, ask
from flake8_torchtrace.ready.hold import Held, breaks_and_recompiles, hold
from flake8_torchtrace.ready.names import Names, Place, UnknownNameError
from flake8_torchtrace.ready.project import Project
from flake8_torchtrace.ready.promises import BUNDLES, SYNTHESISED, Promise, Promises
from flake8_torchtrace.ready.table import Entry
from flake8_torchtrace.source.gate import mentions_torch
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify import Session

_NO_LIMIT = 10**6
_TRIED = (*(promise for promise in Promise if promise is not Promise.DYNAMIC),)
_NOT_PRODUCT = ("tests", "test")


@dataclass(frozen=True)
class Proposal:
    """What a class keeps, as words of a promise; ``why`` it was not measured, empty if it was. ``broken`` says what it does not keep.

    ``is_synthesised``: with inputs that nobody wrote.
    """

    place: Place
    words: tuple[str, ...] = ()
    why: str = ""
    broken: tuple[Held, ...] = ()
    is_synthesised: bool = False


def places(project: Project, wanted: Sequence[str]) -> list[Place]:
    """The module classes that nothing is promised of yet: of all files of the project but its tests, or of ``wanted``. Raises UsageError."""
    names = project.names
    known = {(item.place.path, item.place.outline.name) for item in project.promised()}
    found = [place for item in wanted for place in _of(item, names)] if wanted else list(_of_files(_own_files(project), names))
    once = {(place.path, place.outline.name): place for place in found}
    return [once[key] for key in sorted(once) if key not in known]


def measure(project: Project, found: Iterable[Place], session: Session, done: Callable[[Proposal], None]) -> list[Proposal]:
    """What each class keeps; ``done`` is told of each."""
    proposals = []
    for place in found:
        proposals.append(_measured(project, place, session))
        done(proposals[-1])
    return proposals


def _measured(project: Project, place: Place, session: Session) -> Proposal:
    limits = ((Promise.MAX_BREAKS, _NO_LIMIT), (Promise.MAX_RECOMPILES, _NO_LIMIT))
    promised = Promised(place, Promises(frozenset(_TRIED), limits, is_synthesised=True), "")
    answer = ask(session, promised)
    good = [run for run in answer.get("runs", ()) if run["reason"] is None]
    held = hold(promised, answer, project.blame)
    if not good:
        return Proposal(place, why=held[0].why.removeprefix("could not be checked: "))
    if any(run.get("dynamic", {}).get("declared") for run in good):
        wanted = Promised(place, Promises(frozenset({Promise.DYNAMIC})), "")
        held += hold(wanted, answer, project.blame)
    is_synthesised = any(run.get("kind") == SYNTHESISED for run in good)
    return Proposal(place, _words(held, answer), broken=tuple(item for item in held if not item.is_kept), is_synthesised=is_synthesised)


def _words(held: Sequence[Held], answer: Answer) -> tuple[str, ...]:
    kept = {item.promise for item in held if item.is_kept}
    words: list[str] = []
    for name, parts in BUNDLES.items():
        if kept.issuperset(parts):
            words.append(name)
            kept.difference_update(parts)
    breaks, recompiles = breaks_and_recompiles(answer)
    for promise in Promise:
        if promise not in kept:
            continue
        if promise is Promise.MAX_BREAKS:
            words += [f"{promise.value}={breaks}"] if breaks or Promise.FULLGRAPH not in kept else []
        elif promise is Promise.MAX_RECOMPILES:
            words.append(f"{promise.value}={recompiles}")
        else:
            words.append(promise.value)
    return tuple(words)


def _of(item: str, names: Names) -> list[Place]:
    if os.path.exists(item):
        return list(_of_files(python_files([item]), names))
    try:
        return [names.find(item)]
    except UnknownNameError as error:
        try:
            return names.matching(Entry(f"{item}.*", Promises(), ""))
        except UnknownNameError:
            raise UsageError(f"--propose: {error}") from error


def _of_files(paths: Iterable[str], names: Names) -> Iterable[Place]:
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
            if mentions_torch(text):
                yield from names.modules_in(path)
        except OSError as error:
            raise UsageError(f"--propose: cannot read {path}: {error.strerror}") from error
        except UnknownNameError as error:
            raise UsageError(f"--propose: {error}") from error


def _own_files(project: Project) -> Iterable[str]:
    for path in python_files([project.folder]):
        parts = os.path.relpath(path, os.path.realpath(project.folder)).split(os.sep)
        if not any(part in _NOT_PRODUCT for part in parts[:-1]) and not parts[-1].startswith(("test_", "conftest")):
            yield path
