"""Calling a function that is kept out of the graph."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class DisabledFunction(Rule):
    code = "TTR618"
    name = "disabled-function"
    family = Family.FORCED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "remove torch.compiler.disable, or make it an operator (torch.library.custom_op)"
    why = (
        "torch.compiler.disable makes the function run in Python, so the graph ends before each call of it and another begins behind. "
        "For compile that is what was asked for; fullgraph and strict export refuse it."
    )
    fine = "Where the break is wanted: it costs one graph more at each call."
    sees = ("island",)
    bad = (
        Example(
            """
@torch.compiler.disable
def shift(y):
    return y + 1


class Net(nn.Module):
    def forward(self, x):
        return shift(x * 2) * 3
"""
        ),
    )
    good = (
        Example(
            """
def shift(y):
    return y + 1


class Net(nn.Module):
    def forward(self, x):
        return shift(x * 2) * 3
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.event.name}` is marked to run outside of the graph")
