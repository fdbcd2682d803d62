"""A class statement in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ClassInForward(Rule):
    code = "TTR606"
    name = "class-in-forward"
    family = Family.CONSTRUCTION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "move the class to the level of the module"
    why = "Dynamo has no rule for the instruction that builds a class (LOAD_BUILD_CLASS)."
    fine = "At the level of the module, and inside __init__."
    sees = ("class",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        class Pair:
            scale = 2

        return x * Pair.scale
"""
        ),
    )
    good = (
        Example(
            """
class Pair:
    scale = 2


class Net(nn.Module):
    def forward(self, x):
        return x * Pair.scale
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`class {site.event.name}` is executed in traced code")
