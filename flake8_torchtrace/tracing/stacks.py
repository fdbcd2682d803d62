"""Stacks: from torch, the running interpreter, a traceback or the text of a message, all in one shape."""

from __future__ import annotations

import functools
import itertools
import linecache
import os
import re
import sys
import traceback
from collections.abc import Iterable
from types import CodeType, FrameType, TracebackType
from typing import Any

from .paths import Watch, real_path, torch_folder
from .shapes import FrameDict

Stack = list[FrameDict]

_RESUMED = re.compile(r"torch_dynamo_resume_in_(.+)_at_\d+(?:_\d+)?$|(?:resume_in_)+(.+)$")
_FILE_LINE = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in ([^\n]+))?')

_HERE = os.path.dirname(real_path(__file__)) + os.sep


def frame(
    filename: str, line: int, function: str, column: int | None = None, end_column: int | None = None
) -> FrameDict:
    """A frame from what torch or Python gives; columns come in as UTF-8 byte offsets and go out as characters.

    The end column is dropped where it cannot lie on ``line``: torch does not tell the end line.
    """
    text = linecache.getline(filename, line) if column is not None or end_column is not None else ""
    start, end = _characters(text, column), _characters(text, end_column)
    if end is not None and (start is None or end <= start):
        end = None
    return {
        "path": real_path(filename),
        "line": line,
        "function": without_prefix(function),
        "column": start,
        "end_column": end,
    }


def without_prefix(function: str) -> str:
    """The name of the function that a resume function is the rest of, or ``function``."""
    resumed = _RESUMED.match(function)
    return (resumed.group(1) or resumed.group(2)) if resumed else function


def _characters(text: str, offset: int | None) -> int | None:
    if offset is None or not text:
        return None
    return len(text.encode()[:offset].decode(errors="ignore"))


def from_summaries(summaries: Iterable[Any] | None) -> Stack:
    """``traceback.FrameSummary`` objects, as ``exc.real_stack`` and ``GraphCompileReason.user_stack`` hold them.

    Outermost first; the tracer's own frames at the top are left out.
    """
    stack = [_from_summary(item) for item in summaries or ()]
    while stack and stack[0]["path"].startswith(_tracer_folders()):
        del stack[0]
    return stack


def from_user_code(stack: Stack) -> Stack:
    """``stack`` without the frames of torch that come before the first one of somebody else; all of it if all are torch's."""
    folder = torch_folder() + os.sep
    first = next((at for at, item in enumerate(stack) if not item["path"].startswith(folder)), 0)
    return stack[first:]


def _from_summary(item: Any) -> FrameDict:
    columns = getattr(item, "colno", None), getattr(item, "end_colno", None)
    return frame(item.filename, item.lineno or 0, item.name, *columns)


def from_code(code: CodeType) -> Stack:
    """The place where ``code`` is defined, for a frame that was given up before its first line."""
    return [frame(code.co_filename, code.co_firstlineno, code.co_name)]


def above(live: FrameType | None) -> Stack:
    """The frames that lead from the call of the module to ``live``, without torch's machinery and ours."""
    found: Stack = []
    inside = False
    while live is not None:
        filename = real_path(live.f_code.co_filename)
        if not filename.startswith(_HERE):
            inside = True
            if not filename.startswith(_tracer_folders()):
                found.append(frame(filename, live.f_lineno, live.f_code.co_name, *_columns(live)))
        elif inside:  # back where this package called the module
            break
        live = live.f_back
    found.reverse()
    return collapse(found)


def _columns(live: FrameType) -> tuple[int | None, int | None]:
    """The columns of the instruction that a frame is at, as UTF-8 byte offsets; none before Python 3.11."""
    if sys.version_info < (3, 11):
        return None, None
    line, end_line, column, end_column = next(itertools.islice(live.f_code.co_positions(), live.f_lasti // 2, None))
    return (column, end_column) if line == end_line == live.f_lineno else (None, None)


def collapse(stack: Stack) -> Stack:
    """Of consecutive frames of one function only the innermost: dynamo's resume functions call each other."""
    found: Stack = []
    for item in stack:
        if found and (found[-1]["path"], found[-1]["function"]) == (item["path"], item["function"]):
            found[-1] = item
        else:
            found.append(item)
    return found


def is_machinery(filename: str) -> bool:
    """Whether frames of ``filename`` are the tracer's or ours, never a step of the user's program."""
    return real_path(filename).startswith((_HERE, *_tracer_folders()))


@functools.cache
def _tracer_folders() -> tuple[str, ...]:
    names = ("_dynamo", "export", "_export", "_functorch", "fx")
    return tuple(os.path.join(torch_folder(), name) + os.sep for name in names)


def from_traceback(found: TracebackType | None, watch: Watch) -> Stack:
    """The frames of a traceback from the first watched one to the last one outside torch, empty if none is watched."""
    stack = [_from_summary(item) for item in traceback.extract_tb(found)]
    first = next((at for at, item in enumerate(stack) if watch.path(item["path"])), None)
    if first is None:
        return []
    last = max(at for at, item in enumerate(stack) if not item["path"].startswith(torch_folder() + os.sep))
    return [item for item in stack[first : last + 1] if not is_machinery(item["path"])]


def from_text(text: str) -> Stack:
    """Frames named in a message; only the part after "user code" or "User Stack" if the message has such a part."""
    for mark in ("from user code:", "User Stack (most recent call last):", "The following call raised this error:"):
        _, found, tail = text.rpartition(mark)
        if found and _FILE_LINE.search(tail):
            text = tail
            break
    return [frame(name, int(line), function or "<unknown>") for name, line, function in _FILE_LINE.findall(text)]


def innermost_watched(stack: Stack, watch: Watch) -> tuple[str, int] | None:
    """Path and line of the innermost frame in a watched file."""
    return next(((item["path"], item["line"]) for item in reversed(stack) if watch.path(item["path"])), None)
