"""What became of the promises, as text, GitHub's annotations, JUnit and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from flake8_torchtrace.audit.files import shown
from flake8_torchtrace.ready.hold import Held
from flake8_torchtrace.ready.promises import Promise
from flake8_torchtrace.report import github, junit
from flake8_torchtrace.report.text import one_line

CODE = "TTR910"
RULE = "promise-broken"


def message(held: Held) -> str:
    """A broken promise in one sentence, without its place."""
    follows = f" (and with it {', '.join(promise.value for promise in held.follows)})" if held.follows else ""
    return f"{held.promised.name} promises {held.words}{follows}: {held.why}"


def line(held: Held) -> str:
    """A broken promise as flake8 would print it, at the line that broke it; a kept one at its class."""
    span = held.spot.span
    said = message(held) if held.why else f"{held.promised.name} keeps {held.words} ({'; '.join(held.runs)})"
    code = f"{CODE} " if held.why else ""
    return one_line(f"{shown(held.spot.path)}:{span.line}:{span.column + 1}: {code}{said}")


def text(items: Sequence[Held]) -> str:
    """A line for each broken promise."""
    return "".join(f"{line(item)}\n" for item in items if not item.is_kept)


def text_of_all(items: Sequence[Held]) -> str:
    """A line for each promise."""
    return "".join(f"{line(item)}\n" for item in items)


def as_github(items: Sequence[Held]) -> str:
    """A workflow command for each broken promise."""
    broken = [item for item in items if not item.is_kept]
    return "".join(f"{github.command('error', shown(item.spot.path), item.spot.span, f'{CODE} {RULE}', message(item))}\n" for item in broken)


def as_junit(items: Sequence[Held]) -> str:
    """A suite for each class, in it a case for each promise; what could not be checked is an error."""
    root = Element("testsuites", name="torchtrace ready")
    for name, group in groupby(items, key=lambda item: item.promised.name):
        _suite(root, name, list(group))
    return junit.document(root)


def as_json(items: Sequence[Held]) -> str:
    """A list with an object for each promise."""
    return json.dumps([plain(item) for item in items], indent=2, ensure_ascii=False) + "\n"


def plain(held: Held) -> dict[str, Any]:
    """One promise as plain data. Columns count from 1."""
    span = held.spot.span
    return {
        "class": held.promised.name, "path": shown(held.promised.place.path), "promise": held.words, "kept": held.is_kept,
        "checked": held.was_checked, "why": held.why or None, "follows": [promise.value for promise in held.follows], "inputs": list(held.runs),
        "at": {"path": shown(held.spot.path), "line": span.line, "column": span.column + 1}, "declared": held.promised.where,
    }  # fmt: skip


def _suite(root: Element, name: str, items: Sequence[Held]) -> None:
    suite = SubElement(root, "testsuite", name=junit.legal(name))
    failures = errors = tests = 0
    for item in items:
        for promise in (item.promise, *item.follows):
            tests += 1
            case = SubElement(suite, "testcase", classname=junit.legal(name), name=_words(item, promise), file=junit.legal(shown(item.spot.path)))
            if item.why:
                failures, errors = (failures + 1, errors) if item.was_checked else (failures, errors + 1)
                kind = "failure" if item.was_checked else "error"
                SubElement(case, kind, message=junit.legal(one_line(item.why))).text = junit.legal(line(item))
    junit.count(suite, tests, failures, errors)


def _words(held: Held, promise: Promise) -> str:
    return held.promised.promises.words(promise)


def summary(items: Iterable[Held], torch: str) -> str:
    """Counts, for people."""
    found = list(items)
    promises = sum(1 + len(item.follows) for item in found)
    broken = sum(1 + len(item.follows) for item in found if not item.is_kept)
    unchecked = sum(1 + len(item.follows) for item in found if not item.is_kept and not item.was_checked)
    classes = len({(item.promised.place.path, item.promised.place.outline.name) for item in found})
    where = f" on torch {torch}" if torch else ""
    told = f"{promises - broken} kept, {broken - unchecked} broken" + (f", {unchecked} not to be checked" if unchecked else "")
    return f"{promises} {'promise' if promises == 1 else 'promises'} of {classes} {'class' if classes == 1 else 'classes'}{where}: {told}"


FORMATS: Mapping[str, Callable[[Sequence[Held]], str]] = {"text": text, "json": as_json, "github": as_github, "junit": as_junit}
