"""Random numbers from Python or numpy."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site

# Compile puts these into the graph's inputs (torch/_dynamo/variables/user_defined.py); strict export asserts that there are none.
_TRACED = ("random.randint", "random.randrange")
# numpy's draws of a whole array are torch operators in traced code (torch/_numpy/random.py): with as many arguments as these, or a size.
_WITH_SIZE = {"rand": 1, "randn": 1, "random": 1, "random_sample": 1, "normal": 3, "uniform": 3, "randint": 3}


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
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * torch.from_numpy(np.random.normal(0.0, 1.0, size=(2, 4))).float()
""",
            imports="import numpy as np",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return None if event.name == "numpy.random.seed" or _draws_array(event) else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        is_traced = site.event.name in _TRACED
        targets = frozenset({Target.EXPORT_STRICT}) if is_traced else None
        effect = "refused by strict export; non-strict export bakes one number" if is_traced else None
        yield site.hit(f"`{site.text()}` draws from a random generator outside of torch", None, targets, effect)


def _draws_array(event: Event) -> bool:
    module, _, name = event.name.rpartition(".")
    return module == "numpy.random" and name in _WITH_SIZE and ("size" in event.keywords or len(event.args) >= _WITH_SIZE[name])
