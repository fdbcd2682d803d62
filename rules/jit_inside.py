"""TorchScript made inside traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site

# They run what they trace, with the fake tensors of non-strict export.
_RUNNERS = ("torch.jit.trace", "torch.jit.trace_module")


class JitInside(Rule):
    code = "TTR309"
    name = "jit-inside"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "make the script once, at import time or in __init__, or call the plain function"
    why = (
        "Tracing or scripting a function is a compiler of its own, and dynamo does not trace one compiler with another. Calling what "
        "was scripted before is traced."
    )
    fine = "At import time."
    calls = (
        "torch.jit.trace", "torch.jit.trace_module", "torch.jit.script", "torch.jit.freeze", "torch.jit.optimize_for_inference",
        "torch.jit.load", "torch.jit.fork", "torch.jit.wait",
    )  # fmt: skip
    bad = (
        Example(
            """
def double(y):
    return y * 2


class Net(nn.Module):
    def forward(self, x):
        scripted = torch.jit.script(double)
        return scripted(x)
"""
        ),
    )
    good = (
        Example(
            """
@torch.jit.script
def double(y):
    return y * 2


class Net(nn.Module):
    def forward(self, x):
        return double(x)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        is_run = site.event.name in _RUNNERS
        targets = ALL_TARGETS if is_run else None
        effect = "breaks the graph in compile, refused by fullgraph and export" if is_run else None
        yield site.hit(f"`{site.text()}` makes TorchScript inside traced code", targets=targets, effect=effect)
