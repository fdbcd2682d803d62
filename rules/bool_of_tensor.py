"""``bool()`` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class BoolOfTensor(Rule):
    code = "TTR102"
    name = "bool-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE, Target.EXPORT_NONSTRICT})
    effect = "breaks the graph in compile, refused by non-strict export"
    instead = "keep the tensor and use torch.where or torch.cond"
    why = "A Python bool must hold the number that is in the tensor, and that exists only when the graph has run."
    fine = "On shapes, sizes and other Python values: those are not reported."
    calls = ("builtins.bool",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        flag = bool(x.sum() > 0)
        return x * flag
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        flag = bool(x.dim() > 1)
        return x * flag
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.args[0]) if event.args else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` forces a tensor into a Python bool{site.origin(site.event.args[0])}")
