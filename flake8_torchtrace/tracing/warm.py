"""Pay torch's start-up cost once, before children are forked."""

from __future__ import annotations

import contextlib


def prewarm() -> None:
    """See ``flake8_torchtrace.tracing.prewarm``.

    A tracer that fails even on this module fails again, and is reported, wherever it is asked for a verdict.
    """
    import torch
    import torch._dynamo
    import torch.export
    from torch._dynamo.utils import counters

    torch.set_num_threads(1)
    module, inputs = torch.nn.ReLU(), (torch.ones(2),)
    with contextlib.suppress(Exception):
        torch.compile(module, backend="eager")(*inputs)
    for strict in (True, False):
        with contextlib.suppress(Exception):
            torch.export.export(module, inputs, strict=strict)
    torch._dynamo.reset()
    counters.clear()
