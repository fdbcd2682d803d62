"""Which line changed something: looked at after every line that runs in a watched file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import FrameType
from typing import Any

from ..paths import Watch
from .callers import Place, innermost
from .state import Key


def places_of_changes(call: Callable[[], object], keys: Iterable[Key], look: Callable[[Key], Any], watch: Watch) -> dict[Key, list[Place]]:
    """For each key the watched lines, in order, after which ``look`` told something new while ``call`` ran."""
    known = {key: look(key) for key in keys}
    found: dict[Key, list[Place]] = {key: [] for key in known}
    last: list[Place | None] = [None]

    def compare() -> None:
        for key, before in known.items():
            now = look(key)
            if now != before:
                known[key] = now
                if last[0] is not None and last[0] not in found[key]:
                    found[key].append(last[0])

    def on_event(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            compare()
            last[0] = innermost(frame, watch)
        elif event == "return":
            compare()
            last[0] = innermost(frame.f_back, watch)
        return on_event

    def on_call(frame: FrameType, event: str, arg: object) -> Any:
        return None if watch.path(frame.f_code.co_filename) is None else on_event

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        call()
    finally:
        sys.settrace(before)
        compare()
    return found
