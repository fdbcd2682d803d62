"""Functions of torch that look at the numbers themselves."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver
from flake8_torchtrace.source.site import Site

_NAMES = ("cov", "corrcoef")


class ReadsDataInside(Rule):
    code = "TTR119"
    name = "reads-data-inside"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "compute it from functions that do not look (means, products, where)"
    why = "The function is made of others and decides between them by the numbers in its input, so it reads one out."
    fine = "Outside of traced code."
    calls = tuple(f"torch.{name}" for name in _NAMES)
    methods = _NAMES
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.cov(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x - x.mean(1, keepdim=True)
        return y @ y.T / (x.shape[1] - 1)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_receiver(event.value) if event.kind == "method" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` looks at the numbers in its input")
