"""A Python sequence indexed, or counted, by a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.arguments import is_proven
from flake8_torchtrace.source.elements import CONTAINERS
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import External, Sequence, drop_none


class ListIndexByTensor(Rule):
    code = "TTR111"
    name = "list-index-by-tensor"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "stack the items into a tensor and index that, or use torch.where"
    why = (
        "Which item it is, or how often a loop runs, must be known before Python goes on, and the number in the tensor exists only when "
        "the graph has run."
    )
    fine = "On tensors: indexing a tensor by a tensor of indices is an operator."
    calls = ("builtins.range",)
    sees = ("subscript",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        which = (x.sum() > 0).long()
        return [x, x + 1][which]
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        for _ in range(x.abs().long().max()):
            x = x + 1
        return x
""",
            inputs="torch.ones(2, 4)",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        which = (x.sum() > 0).long()
        return torch.where(which == 0, x, x + 1)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind == "call":
            return Confidence.LIKELY if any(is_proven(value) for value in event.args) else None
        base = None if event.value is None else drop_none(event.value)
        is_sequence = isinstance(base, Sequence) or (isinstance(base, External) and base.dotted in CONTAINERS)
        return Confidence.LIKELY if is_sequence and is_proven(event.index) else None

    def check(self, site: Site) -> Iterator[Hit]:
        if site.event.kind == "call":
            yield site.hit(f"`{site.text()}` counts to a number in a tensor")
        else:
            yield site.hit(f"`{site.text()}` indexes a Python sequence by a tensor", site.node)
