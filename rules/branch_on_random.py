"""A branch or a loop that a random number of Python decides."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Drawn, options


class BranchOnRandom(Rule):
    code = "TTR126"
    name = "branch-on-random"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export bakes one number"
    instead = "decide outside of the traced code, or draw with torch and use torch.where"
    why = (
        "Compile makes the numbers of random.randint, randrange and uniform inputs of the graph, drawn anew at every call. What Python does "
        "next cannot hang on them while the graph is made."
    )
    fine = "Where the number only goes into operators: compile traces that (TTR203)."
    calls = ("builtins.range",)
    sees = ("test",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        dice = random.Random(3)
        if dice.randrange(1, 5) > 2:
            return x
        return x + 1
""",
            imports="import random",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.where(torch.rand(()) < 0.5, x, x + 1)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        values = event.args if event.kind == "call" else [event.value]
        drawn = [option for value in values if value is not None for option in options(value) if isinstance(option, Drawn) and option.by == "random"]
        if not drawn:
            return None
        return Confidence.LIKELY if any(option.sure for option in drawn) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` depends on a random number of Python", site.node)
