"""Mistakes in what the user gave us, told in one sentence with the place where they happened."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Any

_OWN_PACKAGE = os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep
_LONGEST = 300


class InputsError(Exception):
    """The inputs cannot be had; the text says what is wrong, where, and is complete as it stands."""


def shown(path: str) -> str:
    """``path`` as a person at the current directory would write it."""
    relative = os.path.relpath(path)
    return path if relative.startswith(os.pardir) else relative


def describe(error: BaseException) -> str:
    """An exception as its last traceback line plus ``file:line``, without a traceback."""
    text = " ".join("".join(traceback.format_exception_only(type(error), error)[-1:]).split())
    if isinstance(error, SystemExit):
        text = f"sys.exit({error.code!r})"
    if len(text) > _LONGEST:
        text = text[: _LONGEST - 3] + "..."
    place = _place(error)
    return f"{text} ({place})" if place else text


def calling(what: str, function: Callable[[], Any]) -> Any:
    """What ``function`` returns. Raises InputsError naming ``what`` for anything it raises, ``SystemExit`` included."""
    try:
        return function()
    except InputsError as error:
        raise InputsError(f"{what}: {error}") from error
    except BaseException as error:
        raise InputsError(f"{what} failed: {describe(error)}") from error


def kind(value: object) -> str:
    """What a value is, in words."""
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _place(error: BaseException) -> str | None:
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return f"{shown(error.filename)}:{error.lineno}"
    frames = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not _is_machinery(frame.f_code.co_filename)
    ]
    return f"{shown(frames[-1][0])}:{frames[-1][1]}" if frames else None


def _is_machinery(path: str) -> bool:
    if path.startswith("<frozen"):
        return True
    importlib_directory = os.path.dirname(getattr(sys.modules["importlib"], "__file__", "") or "")
    return path.startswith(_OWN_PACKAGE) or os.path.dirname(path) == importlib_directory
