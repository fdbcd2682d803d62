"""The door of synthesis: from a class of a file to the source of a function that makes it and its inputs."""

from __future__ import annotations

import base64
import pickle
import time
import tokenize
from dataclasses import asdict, dataclass
from typing import Any

from ..importing import dotted_name, import_file
from ..mistakes import InputsError, describe, shown
from . import sandbox
from .containers import find_class, runners
from .draft import Draft, source
from .further import Further
from .search import Found, Search

_SHARE_OF_CLASS = 0.5
_MOST_RUNNERS = 4


@dataclass(frozen=True)
class Synthesis:
    """``source`` of ``make()``, with the names of the file as globals; what was ``used``, in words; ``reason``, why it does not work.

    ``subject`` is the class that is built: another than the one asked for, where only that one can be. ``recipe`` is the source as it
    can be copied into a file of recipes. ``draft`` is what was found, for `further`.
    """

    subject: str
    source: str = ""
    used: str = ""
    reason: str = ""
    recipe: str = ""
    draft: str = ""

    def to_dict(self) -> dict[str, str]:
        """Plain data for the wire."""
        return asdict(self)


def synthesise(path: str, name: str, seconds: float) -> Synthesis:
    """Search for a construction and inputs of the class ``name`` of the file ``path``, for at most about ``seconds``.

    Closes this process to files and network for good. Raises InputsError where the file cannot be imported or has no such class.
    """
    sandbox.close()
    sandbox.limit_memory()
    end = time.monotonic() + seconds
    home = import_file(path)
    cls = find_class(home, name)
    if cls is None:
        raise InputsError(f"no inputs can be synthesised for {name}: it is no class at the top of {shown(path)}")
    if not callable(getattr(cls, "forward", None)) and not callable(getattr(cls, "__call__", None)):  # noqa: B004 -- of its instances
        raise InputsError(f"no inputs can be synthesised for {name}: it has no forward")
    found = Search(home, cls, (end - time.monotonic()) * _SHARE_OF_CLASS).run()
    if found.error is None and found.draft is not None:
        return _told(path, home, name, found.draft)
    for runner in runners(home, cls)[:_MOST_RUNNERS]:
        if end - time.monotonic() < 1:
            break
        other = Search(home, runner, (end - time.monotonic()) / 2, runs=cls).run()
        if other.error is None and other.draft is not None:
            return _told(path, home, runner.__qualname__, other.draft)
    return Synthesis(name, reason=_reason(path, home, name, found), **_sources(path, home, found.draft))


def further(path: str, name: str, draft: str, missing: list[list[int]], seconds: float) -> list[dict[str, str]]:
    """From what was found for the class ``name``, other ways to build and call it that run ``missing``: first and last lines that it does not run.

    Each has its ``source`` and what was ``used``, as in Synthesis. Closes this process as `synthesise` does.
    """
    sandbox.close()
    sandbox.limit_memory()
    home = import_file(path)
    cls = find_class(home, name)
    first: Draft = pickle.loads(base64.b64decode(draft))
    with tokenize.open(path) as file:
        source_of_file = file.read()
    steps = Further(home, cls, path, source_of_file, first, seconds).run(missing)
    return [{"source": source(step.draft, home.__name__), "used": "; ".join([step.draft.told, *filter(None, step.changes)])} for step in steps]


def _told(path: str, home: Any, subject: str, draft: Draft) -> Synthesis:
    kept = base64.b64encode(pickle.dumps(draft)).decode()
    return Synthesis(subject, used=draft.told, draft=kept, **_sources(path, home, draft))


def _sources(path: str, home: Any, draft: Draft | None) -> dict[str, str]:
    if draft is None:
        return {}
    return {"source": source(draft, home.__name__), "recipe": source(draft, home.__name__, dotted_name(path)[1])}


def _reason(path: str, home: Any, name: str, found: Found) -> str:
    how = describe(found.error) if found.error is not None else "nothing could be tried"
    if found.draft is None:
        return f"no inputs could be synthesised for {name}: {how}"
    tried = f"{found.tries} tries, the furthest with {found.draft.told}"
    copy = f"def make(): return {found.draft.text}"
    return f"no inputs could be synthesised for {name} ({tried}): {how}; to start from: {copy}"
