"""Does the installed torch still behave as the observer expects?"""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

from .paths import real_path
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

    drift = [f"torch {torch.__version__} has no {name}: breaks will be missed" for name in missing()]
    for what, function, offset in _SNIPPETS:
        expected = [function.__code__.co_firstlineno + offset]
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                sites = _sites(function)
        except Exception as error:
            drift.append(f"torch {torch.__version__}: observing {what} failed with {type(error).__name__}: {error}")
            continue
        if sites != expected:
            drift.append(f"torch {torch.__version__}: {what} was seen at lines {sites} instead of {expected}")
    return drift


def _sites(function: Callable[[Any], Any]) -> list[int]:
    import torch

    here = real_path(__file__)
    torch._dynamo.reset()
    result = run_target("compile", function, (torch.ones(2),), {}, lambda path: path == here)
    return [item["stack"][-1]["line"] for item in result["observations"]]
