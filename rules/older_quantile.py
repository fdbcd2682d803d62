"""``quantile``, which only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver
from flake8_torchtrace.source.site import Site


class OlderQuantile(Rule):
    code = "TTR122"
    name = "older-quantile"
    family = Family.VALUE
    targets = frozenset()
    legacy_targets = frozenset(Target)
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "sort and index, or use a newer torch"
    why = (
        "quantile makes a tensor of the fractions and checks them there, and for older versions of torch that is a comparison whose "
        "answer a graph does not have (aten.equal)."
    )
    fine = "On torch 2.13, which traces it."
    calls = ("torch.quantile", "torch.nanquantile")
    methods = ("quantile", "nanquantile")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.quantile(x, 0.5)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.sort().values[:, x.shape[1] // 2]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_receiver(event.value) if event.kind == "method" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` looks at its fractions inside a tensor")
