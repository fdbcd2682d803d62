"""Comparisons of whole tensors that give a Python bool."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver
from flake8_torchtrace.source.site import Site

_NAMES = ("equal", "allclose", "is_nonzero")


class TensorComparison(Rule):
    code = "TTR108"
    name = "tensor-comparison"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "compare element by element and keep the result a tensor"
    why = "The result is a Python bool that depends on the numbers in the tensors, and those exist only when the graph has run."
    fine = "In tests, outside of traced code."
    calls = tuple(f"torch.{name}" for name in _NAMES)
    methods = _NAMES
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        if torch.equal(x, x.abs()):
            return x
        return x * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        same = (x == x.abs()).all()
        return torch.where(same, x, x * 2)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_receiver(event.value) if event.kind == "method" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` reads the data for a Python bool")
