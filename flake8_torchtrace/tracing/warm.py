"""Pay torch's start-up cost once, before children are forked."""

from __future__ import annotations


def prewarm() -> None:
    """See ``flake8_torchtrace.tracing.prewarm``."""
    import torch
    import torch._dynamo
    import torch.export

    torch.set_num_threads(1)
    inputs = (torch.ones(2),)
    torch.compile(torch.nn.ReLU(), backend="eager")(*inputs)
    for strict in (True, False):
        torch.export.export(torch.nn.ReLU(), inputs, strict=strict)
    torch._dynamo.reset()
    from torch._dynamo.utils import counters

    counters.clear()
