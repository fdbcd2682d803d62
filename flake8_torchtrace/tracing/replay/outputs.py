"""What a call gives to the world besides its result: text, log records, warnings, files, processes."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from types import FrameType
from typing import Any, NamedTuple

from ..paths import Watch
from .callers import Place, caller

_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND
# What a library says of its own versions while it is called: nobody loses anything by it.
_OF_VERSIONS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
_EVENTS = {
    "os.mkdir": "a directory made",
    "os.remove": "a file removed",
    "os.rename": "a file renamed",
    "subprocess.Popen": "a process started",
    "os.system": "a process started",
    "socket.connect": "a connection made",
}


class Given(NamedTuple):
    """One thing given away: its kind, the text of it, and the watched line that did it (None: not one)."""

    kind: str
    text: str
    place: Place | None


@contextlib.contextmanager
def outputs(watch: Watch) -> Iterator[list[Given]]:
    """The list that fills with what is given away while the block runs."""
    found: list[Given] = []
    state = {"on": True, "inside": False}

    def note(kind: str, text: str) -> None:
        if state["on"] and not state["inside"] and text.strip():
            found.append(Given(kind, text.strip(), caller(watch, 2)))

    def on_audit(event: str, args: tuple[Any, ...]) -> None:
        if not state["on"] or state["inside"]:
            return
        if event == "open" and isinstance(args[2], int) and args[2] & _WRITES and not isinstance(args[0], int):
            note("a file written", str(args[0]))
        elif event in _EVENTS:
            note(_EVENTS[event], str(args[0]) if args else "")

    def on_record(self: logging.Logger, record: logging.LogRecord) -> None:
        note("a log record", record.getMessage())
        state["inside"] = True
        try:
            handle(self, record)
        finally:
            state["inside"] = False

    def on_warning(message: Any, *args: Any, **kwargs: Any) -> None:
        if not isinstance(message, _OF_VERSIONS) or _is_watched(sys._getframe(1), watch):
            note("a warning", str(message))

    sys.addaudithook(on_audit)
    handle = logging.Logger.callHandlers
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_Stream(stream, note, name) for stream, name in zip(kept, ("standard output", "standard error"), strict=True))
    logging.Logger.callHandlers = on_record  # type: ignore[method-assign]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.showwarning = on_warning
            yield found
    finally:
        state["on"] = False
        logging.Logger.callHandlers = handle  # type: ignore[method-assign]
        sys.stdout, sys.stderr = kept


def _is_watched(frame: FrameType | None, watch: Watch) -> bool:
    """Whether a watched file gave the warning that is being shown at ``frame``."""
    while frame is not None and frame.f_code.co_filename == warnings.__file__:
        frame = frame.f_back
    return frame is not None and watch.path(frame.f_code.co_filename) is not None


class _Stream:
    def __init__(self, stream: Any, note: Any, name: str) -> None:
        self._stream, self._note, self._name = stream, note, name

    def write(self, text: str) -> int:
        self._note(f"text on {self._name}", text)
        return len(text)

    def writelines(self, texts: Any) -> None:
        for text in texts:
            self.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
