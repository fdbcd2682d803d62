"""Random numbers from Python or numpy."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site

# Compile puts these into the graph's inputs (torch/_dynamo/variables/user_defined.py); strict export asserts that there are none.
_TRACED = ("random.randint", "random.randrange")


class PythonRandom(Rule):
    code = "TTR203"
    name = "python-random"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export bakes one number"
    instead = "draw with torch (torch.rand) or pass the number in"
    why = (
        "The generators of Python and numpy keep their state outside of the graph. Non-strict export draws once, while tracing, and "
        "keeps that number for ever. randint and randrange are traced by compile, which draws anew at every call; "
        "so is random.uniform, which is not reported."
    )
    fine = "Outside of traced code."
    calls = (
        "random.random", "random.choice", "random.choices", "random.shuffle", "random.sample", "random.gauss", "random.normalvariate",
        "random.seed", "random.getrandbits", "random.betavariate", "numpy.random.*", "secrets.*", *_TRACED,
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * random.random()
""",
            imports="import random",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * np.random.rand()
""",
            imports="import numpy as np",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * random.randint(1, 5)
""",
            imports="import random",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * torch.rand(1)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return None if event.name == "numpy.random.seed" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        is_traced = site.event.name in _TRACED
        targets = frozenset({Target.EXPORT_STRICT}) if is_traced else None
        effect = "refused by strict export; non-strict export bakes one number" if is_traced else None
        yield site.hit(f"`{site.text()}` draws from a random generator outside of torch", None, targets, effect)
