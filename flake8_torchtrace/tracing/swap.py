"""Puts rewritten code (`detour`) into the functions of files that are imported already, and takes it out again."""

from __future__ import annotations

import contextlib
import gc
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from types import CodeType, FunctionType

from . import detour, known
from .detour import NAME, Place, rewritten
from .paths import real_path

_Key = tuple[str, int]


class NoDetourHereError(Exception):
    """It takes a process that imports the file anew."""

    takes_new_process = True


@contextlib.contextmanager
def swapped(places: Sequence[Place]) -> Iterator[None]:
    """All functions of the files of ``places`` have a detour around those while the block runs.

    Raises NoDetourHereError, or detour.NoDetourError where it cannot be done at all.
    """
    known.restart()
    by_path: dict[str, list[Place]] = {}
    for place in places:
        by_path.setdefault(place.path, []).append(place)
    changes = [change for path, wanted in by_path.items() for change in _changes(path, wanted)]
    with contextlib.ExitStack() as undo, detour.standing(places):
        undo.callback(known.restart)
        for function, code in changes:
            undo.callback(setattr, function, "__code__", function.__code__)
            undo.callback(function.__globals__.pop, NAME, None)
            function.__code__ = code
            function.__globals__[NAME] = known
        yield


def _changes(path: str, places: Sequence[Place]) -> list[tuple[FunctionType, CodeType]]:
    functions = [item for item in gc.get_objects() if type(item) is FunctionType and real_path(item.__code__.co_filename) == path]
    made: dict[str, dict[_Key, list[CodeType]]] = {}
    changes = []
    for function in functions:
        old = function.__code__
        if old.co_filename not in made:
            made[old.co_filename] = _codes(path, old.co_filename, places)
        fitting = made[old.co_filename].get(_key(old), [])
        if old in fitting:
            continue
        if len(fitting) != 1 or fitting[0].co_freevars != old.co_freevars:
            raise NoDetourHereError(path)
        changes.append((function, fitting[0]))
    if not changes:
        raise NoDetourHereError(path)
    return changes


def _codes(path: str, filename: str, places: Sequence[Place]) -> dict[_Key, list[CodeType]]:
    """All code in the rewritten file, by name and first line."""
    source = importlib.machinery.SourceFileLoader("source", path).get_source("source") or ""
    found: dict[_Key, list[CodeType]] = {}
    pending: list[CodeType] = [compile(rewritten(source, places), filename, "exec", dont_inherit=True)]
    while pending:
        code = pending.pop()
        found.setdefault(_key(code), []).append(code)
        pending += [item for item in code.co_consts if isinstance(item, CodeType)]
    return found


def _key(code: CodeType) -> _Key:
    return (code.co_qualname if sys.version_info >= (3, 11) else code.co_name), code.co_firstlineno
