"""Activation checkpointing in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class CheckpointCall(Rule):
    code = "TTR619"
    name = "checkpoint"
    family = Family.AUTOGRAD
    targets = frozenset({Target.EXPORT_STRICT})
    effect = "refused by strict export"
    instead = "call the function itself while exporting (`if torch.compiler.is_exporting():`)"
    why = (
        "Compile puts the checkpointed part into the graph as an operator of its own. Strict export then runs that graph, and the "
        "operator lacks what it needs there."
    )
    fine = "In compile, in non-strict export, and where checkpointing is switched off for export."
    calls = ("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return checkpoint.checkpoint(torch.sin, x * 2, use_reentrant=False)
""",
            imports="from torch.utils import checkpoint",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.sin(x * 2)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` checkpoints activations")
