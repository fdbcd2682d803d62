"""Tensors sorted by Python."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Sequence, Tensor, Value

_WITHOUT_NONSTRICT = ALL_TARGETS - {Target.EXPORT_NONSTRICT}


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
    sees = ("order",)
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
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        parts = {"b": x + 1, "a": x}
        for _, part in sorted(parts.items()):
            x = x * 2 + part
        return x
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
        if event.kind == "order":
            return Confidence.LIKELY if event.value is not None and (_is_tensor(event.value) or _has_tensor(event.value)) else None
        values = event.args[:1] if event.kind == "call" else [event.value]
        is_found = "key" not in event.keywords and any(_holds_tensors(value) for value in values)
        return Confidence.LIKELY if is_found else None

    def check(self, site: Site) -> Iterator[Hit]:
        if site.event.kind == "order":
            yield site.hit(f"`{site.text()}` compares by a key that is a tensor")
            return
        values = site.event.args[:1] if site.event.kind == "call" else [site.event.value]
        if all(_holds_pairs(value) for value in values):
            yield site.hit(f"`{site.text()}` sorts what holds tensors", None, _WITHOUT_NONSTRICT, effect_of(_WITHOUT_NONSTRICT))
        else:
            yield site.hit(f"`{site.text()}` compares tensors with each other")


def _holds_pairs(value: Value | None) -> bool:
    """Python compares pairs by what comes first, so non-strict export need not look at the tensors in them."""
    return isinstance(value, Sequence) and all(map(_has_tensor, value.items or (value.element,)))


def _holds_tensors(value: Value | None) -> bool:
    if not isinstance(value, Sequence):
        return False
    items = value.items if value.items else (value.element,)
    return all(_is_tensor(item) or _has_tensor(item) for item in items)


def _has_tensor(value: Value) -> bool:
    """A pair such as the items of a dict have is not a constant to sort if there is a tensor in it."""
    return isinstance(value, Sequence) and value.type == "tuple" and any(map(_is_tensor, value.items or ()))


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Tensor) and value.sure
