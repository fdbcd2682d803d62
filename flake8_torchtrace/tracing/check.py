"""Does the installed torch still behave as the observer expects?"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

from .paths import real_path
from .registry import first_line
from .seams import missing
from .targets import run_target


def _branch(x: Any) -> Any:
    if x.sum() > 0:  # site
        return x + 1
    return x - 1


def _call(x: Any) -> Any:
    y = x + 1
    print(y)  # site
    return y * 2


def _loop(x: Any) -> Any:
    for _ in range(2):
        x = x + 1
        print(x)  # site
    return x


_SNIPPETS: tuple[tuple[str, Callable[[Any], Any], int], ...] = (
    ("a branch on a tensor", _branch, 1),
    ("a call that cannot be traced", _call, 2),
    ("a break in a loop", _loop, 3),
)


def self_check() -> list[str]:
    """See ``flake8_torchtrace.tracing.self_check``."""
    import torch

    drift = [f"no {name}: breaks will be missed" for name in missing()]
    for what, function, offset in _SNIPPETS:
        torch._dynamo.reset()
        expected = [function.__code__.co_firstlineno + offset]
        with contextlib.redirect_stdout(io.StringIO()):
            result = run_target("compile", function, (torch.ones(2),), {}, real_path(__file__).__eq__)
        crash = next((item for item in result["observations"] if item["kind"] == "crash"), None)
        if crash is not None:
            drift.append(f"{what} made torch.compile raise {crash['exception']}: {first_line(crash['reason'])}")
            continue
        sites = [item["stack"][-1]["line"] for item in result["observations"]]
        if sites != expected:
            drift.append(f"{what} was seen at lines {sites} instead of {expected}")
    torch._dynamo.reset()
    return [f"torch {torch.__version__}: {sentence}" for sentence in drift]
