"""The questions by which code tells a tracer from Python: what stands behind them is left out on purpose."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from types import FunctionType

_NAMES = ("is_compiling", "is_dynamo_compiling", "is_exporting", "is_torchdynamo_compiling")


@contextlib.contextmanager
def as_if_traced() -> Iterator[None]:
    """While the block runs, every such function of torch says that it is being traced, under whatever name it was imported."""
    functions = _functions()
    kept = [function.__code__ for function in functions]
    for function in functions:
        function.__code__ = _yes.__code__
    try:
        yield
    finally:
        for function, code in zip(functions, kept, strict=True):
            function.__code__ = code


def _yes() -> bool:
    return True


def _functions() -> list[FunctionType]:
    import torch
    import torch._dynamo.external_utils

    homes = (torch.compiler, torch._utils, torch._dynamo, torch._dynamo.external_utils)
    found = [getattr(home, name, None) for home in homes for name in _NAMES]
    fitting = [item for item in found if isinstance(item, FunctionType) and not item.__closure__]
    return [item for item in dict.fromkeys(map(inspect.unwrap, fitting)) if isinstance(item, FunctionType) and not item.__closure__]
