"""Whose doing a call is: the innermost watched frame, unless torch's own code stands between."""

from __future__ import annotations

import os
import sys
from types import FrameType
from typing import NamedTuple

from ..paths import Watch, real_path, torch_folder


class Place(NamedTuple):
    """A line of a watched file that ran."""

    path: str
    line: int
    function: str


def caller(watch: Watch, depth: int = 1) -> Place | None:
    """The watched line that is running, from ``depth`` frames above the caller of this; None if torch acts on its own account."""
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None:
        path = watch.path(frame.f_code.co_filename)
        if path is not None:
            return Place(path, frame.f_lineno, frame.f_code.co_name)
        if is_torch(frame.f_code.co_filename):
            return None
        frame = frame.f_back
    return None


def innermost(frame: FrameType | None, watch: Watch) -> Place | None:
    """The innermost watched line from ``frame`` outwards, whatever stands between."""
    while frame is not None:
        path = watch.path(frame.f_code.co_filename)
        if path is not None:
            return Place(path, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


def is_torch(filename: str) -> bool:
    """Whether a file is part of the installed torch, but not one of these tracers."""
    return real_path(filename).startswith(torch_folder() + os.sep)
