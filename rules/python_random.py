"""Random numbers from Python or numpy."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class PythonRandom(Rule):
    code = "TTR203"
    name = "python-random"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export bakes one number"
    instead = "draw with torch (torch.rand) or pass the number in"
    why = (
        "The generators of Python and numpy keep their state outside of the graph. Non-strict export draws once, while tracing, and "
        "keeps that number for ever. random.uniform, randint and randrange are traced by torch 2.13 and so are not reported."
    )
    fine = "Outside of traced code."
    calls = (
        "random.random", "random.choice", "random.choices", "random.shuffle", "random.sample", "random.gauss", "random.normalvariate",
        "random.seed", "random.getrandbits", "random.betavariate", "numpy.random.*", "secrets.*",
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

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` draws from a random generator outside of torch")
