"""Code that first makes a call of ours and then is what it was: same signature, same lines, same tracebacks.

For Python 3.10 and 3.11, which have no ``sys.monitoring``. The call is put in front of the first instruction, so that no frame is added
and no name is needed: what is called is a constant of the code.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

_CALL_3_11 = ("PUSH_NULL", "LOAD_CONST", "PRECALL", "CACHE", "CALL", "CACHE", "CACHE", "CACHE", "CACHE", "POP_TOP")
_CALL_3_10 = ("LOAD_CONST", "CALL_FUNCTION", "POP_TOP")
_NO_LINE_3_11 = 15
_NO_LINE_3_10 = -128 & 0xFF
_MOST_PER_ENTRY = 8


class NoPreludeError(Exception):
    """There is no way to put a call in front of that code."""


def with_prelude(code: CodeType, call: Callable[[], Any]) -> CodeType:
    """``code`` with ``call()`` before all that it does. Raises NoPreludeError, for Python 3.12 and later always."""
    if sys.version_info[:2] not in ((3, 10), (3, 11)):
        raise NoPreludeError(f"Python {sys.version.split()[0]}")
    constants = (*code.co_consts, call)
    changed = _of_3_11(code, len(constants) - 1) if sys.version_info >= (3, 11) else _of_3_10(code, len(constants) - 1)
    return changed.replace(co_consts=constants, co_stacksize=code.co_stacksize + 2)


def _assembled(names: tuple[str, ...], constant: int) -> bytes:
    out = bytearray()
    for name in names:
        argument = constant if name == "LOAD_CONST" else 0
        for shift in (24, 16, 8):
            if argument >> shift:
                out += bytes((dis.EXTENDED_ARG, (argument >> shift) & 0xFF))
        out += bytes((dis.opmap[name], argument & 0xFF))
    return bytes(out)


def _of_3_11(code: CodeType, constant: int) -> CodeType:
    """Behind the first RESUME. All jumps are relative and none leads across that place."""
    original: bytes = code.co_code
    resume = next((at for at in range(0, len(original), 2) if original[at] == dis.opmap["RESUME"]), None)
    if resume is None:
        raise NoPreludeError("code without a start")
    at = resume + 2
    added = _assembled(_CALL_3_11, constant)
    return code.replace(
        co_code=original[:at] + added + original[at:],
        co_linetable=_lines_3_11(code.co_linetable, at // 2, len(added) // 2),
        co_exceptiontable=_exceptions(code, at, len(added)),  # type: ignore[call-arg,unused-ignore]
    )


def _lines_3_11(table: bytes, at: int, size: int) -> bytes:
    """``table`` with ``size`` code units that are of no line, ``at`` code units from its start."""
    position = passed = 0
    while passed < at:
        passed += (table[position] & 7) + 1
        position += 1
        while position < len(table) and not table[position] & 0x80:
            position += 1
    if passed != at:
        raise NoPreludeError("lines that start elsewhere")
    pieces = [min(_MOST_PER_ENTRY, size - done) for done in range(0, size, _MOST_PER_ENTRY)]
    return table[:position] + bytes(0x80 | (_NO_LINE_3_11 << 3) | (piece - 1) for piece in pieces) + table[position:]


def _exceptions(code: CodeType, at: int, size: int) -> bytes:
    out = bytearray()
    for start, length, target, rest in _entries(code.co_exceptiontable):  # type: ignore[attr-defined,unused-ignore]
        end = start + length
        moved = [place + size // 2 if place >= at // 2 else place for place in (start, end, target)]
        out += _varint(moved[0], 0x80) + _varint(moved[1] - moved[0]) + _varint(moved[2]) + _varint(rest)
    return bytes(out)


def _entries(table: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Start, length and target in code units, and depth with lasti: four numbers of six bits a byte, most significant first."""
    numbers: list[int] = []
    number = 0
    for byte in table:
        number = (number << 6) | (byte & 0x3F)
        if not byte & 0x40:
            numbers.append(number)
            number = 0
    return zip(*[iter(numbers)] * 4, strict=True)


def _varint(number: int, first: int = 0) -> bytes:
    parts = [number & 0x3F]
    while number := number >> 6:
        parts.append((number & 0x3F) | 0x40)
    parts.reverse()
    return bytes((parts[0] | first, *parts[1:]))


def _of_3_10(code: CodeType, constant: int) -> CodeType:
    added = _assembled(_CALL_3_10, constant)
    shift = len(added) // 2
    moved = bytearray(code.co_code)
    for at in range(0, len(moved), 2):
        if moved[at] not in dis.hasjabs:
            continue
        argument, place = moved[at + 1], at
        while place >= 2 and moved[place - 2] == dis.EXTENDED_ARG:
            place -= 2
            argument |= moved[place + 1] << (4 * (at - place))
        argument += shift
        for position in range(place, at + 2, 2):
            moved[position + 1] = (argument >> (4 * (at - position))) & 0xFF
        if argument >> (4 * (at - place) + 8):
            raise NoPreludeError("a jump that needs another instruction")
    return code.replace(co_code=added + bytes(moved), co_linetable=bytes((len(added), _NO_LINE_3_10)) + code.co_linetable)
