"""The state of the random generator of torch."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class GeneratorState(Rule):
    code = "TTR205"
    name = "generator-state"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = (
        "breaks the graph in compile, refused by fullgraph and strict export; the exported program of non-strict export draws other "
        "numbers"
    )
    instead = "seed in the caller"
    why = "The generator is state outside of the graph. Drawing from it is an operator; seeding it, reading it and making one are not."
    fine = "Around the model rather than inside it. Drawing (torch.rand) is traced."
    calls = (
        "torch.manual_seed", "torch.random.manual_seed", "torch.get_rng_state", "torch.random.get_rng_state", "torch.set_rng_state",
        "torch.random.set_rng_state", "torch.initial_seed", "torch.random.initial_seed", "torch.Generator", "torch.cuda.manual_seed",
        "torch.cuda.manual_seed_all", "torch.cuda.get_rng_state", "torch.cuda.set_rng_state",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        torch.manual_seed(0)
        return x + torch.rand(4)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + torch.rand(4)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` works on the state of the random generator")
