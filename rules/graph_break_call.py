"""A graph break by request."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class GraphBreakCall(Rule):
    code = "TTR617"
    name = "graph-break-call"
    family = Family.FORCED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "remove it when it has done its work"
    why = (
        "The call does nothing but end the graph. It is there to find out, by halves, which part of the code a compiler stumbles over."
    )
    fine = "While hunting for a fault of a compiler."
    calls = ("torch._dynamo.graph_break", "torch.compiler.graph_break")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        return y * 2
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for a graph break")
