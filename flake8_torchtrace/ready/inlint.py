"""What flake8 says of the promises in one file, and which of its findings they make certain."""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flake8_torchtrace.inputs.mistakes import shown
from flake8_torchtrace.model import Confidence, Family, Finding, Span, Target
from flake8_torchtrace.pyproject import nearest
from flake8_torchtrace.ready.blame import Blame
from flake8_torchtrace.ready.collect import Promised, make_names
from flake8_torchtrace.ready.experiments import OF_EXPORT, Answer
from flake8_torchtrace.ready.hold import Held, hold
from flake8_torchtrace.ready.marks import WORD, marks
from flake8_torchtrace.ready.names import Names, Place, UnknownNameError
from flake8_torchtrace.ready.outline import Outline, outline
from flake8_torchtrace.ready.promises import Promise, PromiseError, Promises
from flake8_torchtrace.ready.show import CODE, RULE
from flake8_torchtrace.ready.table import Entry, chosen

NOT_READ = "TTR006"
Asks = Callable[[Promised], "Answer | None"]


@dataclass(frozen=True)
class Readiness:
    """``promised`` are the classes of one file that promise something; ``mistakes`` are told at their line."""

    path: str
    promised: tuple[Promised, ...]
    mistakes: tuple[Finding, ...]
    outline: Outline
    folder: str

    def held(self, asks: Asks) -> list[Held]:
        """What became of all promises that ``asks`` knows something of."""
        blame = Blame(self.folder)
        answers = ((item, asks(item)) for item in self.promised)
        return [held for item, answer in answers if answer is not None for held in hold(item, answer, blame)]

    def findings(self, held: Sequence[Held]) -> Iterator[Finding]:
        """A finding at the class for each broken promise, and one for each mistake."""
        yield from self.mistakes
        yield from (_broken(self.path, item) for item in held if not item.is_kept)

    def sharpened(self, findings: Sequence[Finding], held: Sequence[Held]) -> list[Finding]:
        """``findings``: those about what a class promises are likely, unless torch said that the class keeps it all."""
        kept = {item.promised.name for item in held} - {item.promised.name for item in held if not item.is_kept}
        doubted = [item for item in self.promised if item.name not in kept]
        return [self._sharpened(finding, doubted) for finding in findings]

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding is about what its class promises."""
        return any(self._spoken_of(finding, item) for item in self.promised)

    def _sharpened(self, finding: Finding, promised: Sequence[Promised]) -> Finding:
        for item in promised:
            spoken = self._spoken_of(finding, item)
            if spoken:
                told = f"{finding.message} (`{item.place.outline.name}` promises {', '.join(spoken)})"
                return replace(finding, confidence=Confidence.LIKELY, message=told)
        return finding

    def _spoken_of(self, finding: Finding, item: Promised) -> list[str]:
        """The promises of a class that a finding is about."""
        if finding.owner is None or finding.owner not in _family(item.place.outline.name, self.outline):
            return []
        promises = item.promises
        return [promises.words(promise) for promise in promises.ordered if _is_about(finding, promise, promises)]


def readiness(path: str, source: str, tree: ast.Module, entries: tuple[Entry, ...]) -> Readiness | None:
    """The promises of the file ``path``; None if there are none."""
    if not entries and WORD not in source:
        return None
    path = os.path.realpath(path)
    folder = _folder()
    names = make_names(folder)
    modules = names.names_of(path)
    lines = outline(tree, modules[0] if os.path.basename(path) == "__init__.py" else modules[0].rpartition(".")[0])
    found: dict[str, Promised] = {}
    for name, item in lines.classes.items():
        place = Place(path, item, f"{modules[0]}.{name}")
        entry = chosen(entries, [*(f"{module}.{name}" for module in modules), *_other_names(entries, folder).get((path, name), ())])
        if entry is not None and (not entry.is_glob or _is_module(names, place)):
            found[name] = Promised(place, entry.promises, entry.where)
    marked, mistakes = marks(source, lines)
    problems = [_mistake(path, mistake.line, mistake.text) for mistake in mistakes]
    for mark in marked:
        where = f"{shown(path)}:{mark.line}"
        before = found.get(mark.name)
        try:
            both = mark.promises if before is None else before.promises | mark.promises
        except PromiseError as error:
            problems.append(_mistake(path, mark.line, str(error)))
            continue
        found[mark.name] = Promised(Place(path, lines.classes[mark.name], f"{modules[0]}.{mark.name}"), both, where)
    promised = tuple(item for item in found.values() if item.promises.made)
    return Readiness(path, promised, tuple(problems), lines, folder) if promised or problems else None


def _folder() -> str:
    file = nearest(Path.cwd())
    return str(Path.cwd() if file is None else file.parent)


@functools.cache
def _other_names(entries: tuple[Entry, ...], folder: str) -> dict[tuple[str, str], list[str]]:
    """Names by which entries call a class in another way than by where it is defined. A name that leads nowhere is told by ``ready``."""
    names = make_names(folder)
    found: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        if not entry.is_glob:
            try:
                place = names.find(entry.pattern)
            except UnknownNameError:
                continue
            found.setdefault((place.path, place.outline.name), []).append(entry.pattern)
    return found


def _is_module(names: Names, place: Place) -> bool:
    try:
        return names.is_module(place)
    except UnknownNameError:
        return False


def _family(name: str, lines: Outline) -> set[str]:
    """A class and its bases in the same file: a finding names the one whose forward it is in."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        item = waiting.pop()
        if item in lines.classes and item not in found:
            found.add(item)
            waiting.extend(lines.classes[item].bases)
    return found | {item.rpartition(".")[2] for item in found}


def _is_about(finding: Finding, promise: Promise, promises: Promises) -> bool:
    if promise is Promise.FULLGRAPH:
        return Target.FULLGRAPH in finding.targets
    if promise is Promise.EXPORT_STRICT:
        return Target.EXPORT_STRICT in finding.targets
    if promise is Promise.NO_LOST_EFFECTS and finding.code in _effects():
        return True
    if promise in OF_EXPORT:
        return promise is Promise.EXPORT and Target.EXPORT_NONSTRICT in finding.targets
    return promise is Promise.MAX_BREAKS and promises.limit(promise) == 0 and Target.COMPILE in finding.targets


@functools.cache
def _effects() -> frozenset[str]:
    """The codes of effects that export drops."""
    from flake8_torchtrace.source.rules import all_rules

    lost = {rule.code: rule.lost_at_export for rule in all_rules() if rule.lost_at_export}
    return frozenset({*lost, *lost.values()})


def _broken(path: str, held: Held) -> Finding:
    span = held.promised.place.outline.span
    follows = f" (and with it {', '.join(promise.value for promise in held.follows)})" if held.follows else ""
    where = f" at {held.spot}" if held.was_checked and (held.spot.path, held.spot.span) != (held.promised.place.path, span) else ""
    told = f"`{held.promised.place.outline.name}` promises {held.words}{follows}, which is broken{where}: {held.why}"
    if not held.was_checked:
        told = f"`{held.promised.place.outline.name}` promises {held.words}{follows}, which {held.why}"
    return Finding(CODE, RULE, path, span, span, told, Confidence.LIKELY, Family.UNCLASSIFIED, frozenset(), "", held.promised.place.outline.name)


def _mistake(path: str, line: int, text: str) -> Finding:
    span = Span(line, 0, line, 0)
    return Finding(NOT_READ, "promise-not-read", path, span, span, text, Confidence.LIKELY, Family.INTERNAL, frozenset(), "")
