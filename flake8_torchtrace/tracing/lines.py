"""Which lines of watched files Python really runs, and which parts of a line where not all of it need run."""

from __future__ import annotations

import contextlib
import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from .paths import Watch


class Passed(NamedTuple):
    """A line that was passed; with the rest, one instruction on it: its position, columns in UTF-8 bytes."""

    filename: str
    line: int
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None


@contextlib.contextmanager
def recording(watch: Watch, raised: list[BaseException] | None = None) -> Iterator[set[Passed]]:
    """The set that fills with what this thread runs in watched files; ``raised`` with every exception that gets there."""
    visited: set[Passed] = set()

    def on_event(frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            visited.add(Passed(frame.f_code.co_filename, frame.f_lineno))
        elif event == "opcode":
            found = _instruction(frame.f_code, frame.f_lasti)
            if found is not None:
                visited.add(found)
        elif event == "exception" and raised is not None and isinstance(arg, tuple) and all(arg[1] is not item for item in raised):
            raised.append(arg[1])
        return on_event

    def on_call(frame: FrameType, event: str, arg: object) -> Any:
        if watch.path(frame.f_code.co_filename) is None:
            return None
        frame.f_trace_opcodes = bool(divided_lines(frame.f_code))
        return on_event

    before = sys.gettrace()
    sys.settrace(on_call)
    try:
        yield visited
    finally:
        sys.settrace(before)


def _instruction(code: CodeType, offset: int) -> Passed | None:
    line, end_line, column, end_column = _positions(code)[offset // 2]
    if line is None or line not in divided_lines(code):
        return None
    return Passed(code.co_filename, line, column, end_line, end_column)


@functools.cache
def _positions(code: CodeType) -> list[tuple[int | None, int | None, int | None, int | None]]:
    return list(code.co_positions()) if sys.version_info >= (3, 11) else []


@functools.cache
def divided_lines(code: CodeType) -> frozenset[int]:
    """The lines of which Python may run a part only: a jump leads out of them, or they are inside a lambda or comprehension.

    Empty before Python 3.11, where instructions have no columns.
    """
    if sys.version_info < (3, 11):
        return frozenset()
    instructions = [item for item in dis.get_instructions(code) if item.positions is not None]
    lines = [item.positions.lineno for item in instructions if item.positions is not None]
    if code.co_name.startswith("<") and code.co_name != "<module>":
        return frozenset(line for line in lines if line is not None)
    jumps = {*dis.hasjrel, *dis.hasjabs}
    following = zip(instructions, lines, lines[1:], strict=False)
    return frozenset(line for item, line, after in following if item.opcode in jumps and line is not None and line == after)
