"""Pay torch's start-up cost once, before children are forked."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from typing import Any


def prewarm() -> None:
    """See ``flake8_torchtrace.tracing.prewarm``.

    Every tracer is taken through what verified code is likely to meet: layers, a graph break, a branch on data, a shape that
    depends on data, state. Much of torch and sympy is imported and compiled only then, and would be again in each child. A
    tracer that fails here fails again, and is reported, wherever it is asked for a verdict.
    """
    import torch
    import torch._dynamo
    import torch.export
    from torch._dynamo.utils import counters

    from . import accounting, targets  # noqa: F401  children need them all

    torch.set_num_threads(1)
    with _silent():
        for build in (_breaking, _whole):
            for trace in _tracers():
                torch._dynamo.reset()
                with contextlib.suppress(Exception):
                    trace(build(), torch.ones(3, 4))
    torch._dynamo.reset()
    counters.clear()
    torch.manual_seed(0)


def _tracers() -> Iterator[Any]:
    import torch

    yield lambda module, x: torch.compile(module, backend="eager")(x)
    yield lambda module, x: torch.compile(module, backend="eager", fullgraph=True)(x)
    yield lambda module, x: torch.export.export(module, (x,), strict=True)
    yield lambda module, x: torch.export.export(module, (x,), strict=False)


def _breaking() -> Any:
    """A module that breaks in the common ways."""
    import torch

    class Breaking(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)
            self.calls = 0

        def forward(self, x: Any) -> Any:
            y = self.layer(x).relu()
            print(end="")
            self.calls += 1
            chosen = y[y > 0]
            places = torch.nonzero(y)
            if y.sum() > 0:
                y = y + places.shape[0]
            return {"y": y * x.mean().item(), "chosen": chosen.sum()}

    return Breaking()


def _whole() -> Any:
    """A module that export accepts, with a shape that depends on data."""
    import torch

    class Whole(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(4, 4)
            self.register_buffer("shift", torch.ones(4))

        def forward(self, x: Any) -> Any:
            y = torch.cat([self.layer(x) + self.shift, x]).view(-1, 4)
            return y.softmax(-1), torch.nonzero(y).sum(), x.mean().item()

    return Whole()


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    """Keep what torch says of these modules to itself."""
    before = logging.root.manager.disable
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        logging.disable(logging.CRITICAL)
        try:
            yield
        finally:
            logging.disable(before)
