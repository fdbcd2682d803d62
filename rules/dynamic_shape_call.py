"""Calls whose output shape is data: ``nonzero`` and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver
from flake8_torchtrace.source.site import Site

_NAMES = ("nonzero", "argwhere", "masked_select", "unique", "unique_consecutive")


class DynamicShapeCall(Rule):
    code = "TTR401"
    name = "dynamic-shape-call"
    family = Family.DYNAMIC_SHAPE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export gives the result an unbacked size"
    instead = "use a form with a static shape (torch.where with three arguments, a mask, nonzero_static)"
    why = (
        "How many elements come out depends on the numbers in the tensor. By default compile does not trace such operators; with "
        "fullgraph=True and in export the size becomes an unbacked symbol, and a later decision on that size is refused."
    )
    fine = "With torch._dynamo.config.capture_dynamic_output_shape_ops, and for export as long as nothing depends on the size."
    calls = tuple(f"torch.{name}" for name in _NAMES) + ("torch.where",)
    methods = _NAMES
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.nonzero(x > 0)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.masked_select(x > 0)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x, 0.0)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.name == "torch.where":
            given = len(event.args) + len(event.keywords)
            return Confidence.LIKELY if given == 1 else None
        return of_receiver(event.value) if event.kind == "method" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"the shape of `{site.text()}` depends on the data")
