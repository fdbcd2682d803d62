"""Tensors sorted by Python."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Sequence, Tensor, Value


class SortedTensors(Rule):
    code = "TTR113"
    name = "sorted-tensors"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "stack them and use torch.sort or torch.topk"
    why = (
        "Python sorts by asking which of two is smaller, and that is a branch on a tensor. min() and max() without a key are traced, as "
        "torch.minimum and torch.maximum."
    )
    fine = "On Python numbers, and with a key that gives them."
    calls = ("builtins.sorted",)
    methods = ("sort",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        low, high = sorted([x.sum(), x.max()])
        return x * low + high
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        both = torch.stack([x.sum(), x.max()]).sort().values
        return x * both[0] + both[1]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        values = event.args[:1] if event.kind == "call" else [event.value]
        is_found = "key" not in event.keywords and any(_holds_tensors(value) for value in values)
        return Confidence.LIKELY if is_found else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` compares tensors with each other")


def _holds_tensors(value: Value | None) -> bool:
    if not isinstance(value, Sequence):
        return False
    items = value.items if value.items else (value.element,)
    return all(isinstance(item, Tensor) and item.sure for item in items)
