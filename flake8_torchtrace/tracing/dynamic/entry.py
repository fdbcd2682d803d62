"""Where the function that is called stands."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..shapes import FrameDict
from ..stacks import frame


def entry_of(function: Callable[..., Any]) -> FrameDict | None:
    """The ``def`` of a module's forward, or of the function or method itself; None where it is not written in Python."""
    target = getattr(function, "forward", function)
    code = getattr(inspect.unwrap(getattr(target, "__func__", target)), "__code__", None)
    return None if code is None else frame(code.co_filename, code.co_firstlineno, code.co_name)
