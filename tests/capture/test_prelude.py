"""Code with a call in front is the same code: what it gives, its lines, its tracebacks, its signature."""

from __future__ import annotations

import inspect
import sys
import traceback
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import pytest

from flake8_torchtrace.capture.watching import watching


def _busy(step: int) -> Callable[..., Any]:
    def work(self: object, x: int, *rest: int, y: int = 3, **named: int) -> Any:
        try:
            for item in range(3):
                if x <= item:
                    continue
                x += step
            with open(__file__) as _:
                raise ValueError(x)
        except ValueError:
            while True:
                x += 1
                if x > 20:
                    break
        finally:
            x *= 2
        return (lambda: x)(), y, rest, named, [item + step for item in range(2)]

    return work


def _failing(x: int) -> float:
    return (
        1
        / x
    )  # fmt: skip


def _trace() -> str:
    try:
        _failing(0)
    except ZeroDivisionError:
        return traceback.format_exc()
    return ""


def _lines() -> list[tuple[str, int]]:
    seen: list[tuple[str, int]] = []

    def on_event(frame: FrameType, event: str, arg: object) -> Any:
        if frame.f_code.co_name == "_failing":
            seen.append((event, frame.f_lineno))
        return on_event

    before = sys.gettrace()
    sys.settrace(on_event)
    try:
        _failing(2)
    finally:
        sys.settrace(before)
    return seen


def test_a_watched_function_is_as_it_was() -> None:
    told: list[dict[str, Any]] = []
    watched = watching(lambda code, frame: told.append(dict(frame.f_locals)))
    function: Any = _busy(2)
    before = function.__code__, function(None, 1, 5, b=3), _trace(), _lines(), inspect.signature(function), inspect.getsource(function)
    watched.watch(function)
    watched.watch(_failing)  # type: ignore[arg-type]
    try:
        after = function(None, 1, 5, b=3), _trace(), _lines(), inspect.signature(function), inspect.getsource(function)
    finally:
        watched.end()
    assert after == before[1:]
    assert function.__code__ is before[0]
    assert [(call.get("x"), call.get("rest"), call.get("named")) for call in told[:1]] == [(1, (5,), {"b": 3})]
    assert [call["x"] for call in told[1:]] == [0, 2]
    function(None, 1)
    assert len(told) == 3


def test_a_pause_hides_the_call() -> None:
    told: list[CodeType] = []
    watched = watching(lambda code, frame: told.append(code))
    plain = _failing.__code__
    watched.watch(_failing)  # type: ignore[arg-type]
    watched.pause()
    watched.pause()
    watched.resume()
    assert _failing.__code__ is plain
    watched.resume()
    _failing(1)
    watched.end()
    assert told == [plain]


@pytest.mark.parametrize("size", [1, 300])
def test_codes_of_any_size(size: int) -> None:
    body = "".join(f"    y += {number + 1000}\n    if y < 0: return -1\n" for number in range(size))
    scope: dict[str, Any] = {}
    exec(f"def function(y):\n    while True:\n        y += 1\n        if y > 3: break\n{body}    return y\n", scope)
    function, told = scope["function"], list[int]()
    expected = function(1)
    watched = watching(lambda code, frame: told.append(frame.f_locals["y"]))
    watched.watch(function)
    assert function(1) == expected
    watched.end()
    assert told == [1]
