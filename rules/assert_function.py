"""The assertion functions of torch on tensors."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class AssertFunction(Rule):
    code = "TTR114"
    name = "assert-function"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "use torch._assert_async, or an assert statement"
    why = (
        "torch._assert asks for the truth of the tensor. torch._assert_async puts the assertion into the graph, and compile does the "
        "same with an assert statement."
    )
    fine = "On Python values such as shapes."
    calls = ("torch._assert", "torch.testing.assert_close", "torch.testing.assert_allclose")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        torch._assert((x > -100).all(), "too small")
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        torch.testing.assert_close(x, x.relu() - (-x).relu())
        return x * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        torch._assert_async((x > -100).all())
        return x * 2
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.args[0]) if event.args else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the truth of a tensor{site.origin(site.event.args[0])}")
