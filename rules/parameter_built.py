"""``torch.nn.Parameter`` built in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ParameterBuilt(Rule):
    code = "TTR304"
    name = "parameter-built"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "create the parameter in __init__, or use a plain tensor"
    why = "A parameter made inside the graph would be a new leaf of autograd at every call, which a graph cannot hold."
    fine = "In __init__."
    calls = ("torch.nn.Parameter",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        p = nn.Parameter(torch.ones(4))
        return x * p
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.p
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` builds a parameter in traced code")
