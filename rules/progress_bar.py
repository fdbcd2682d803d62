"""A progress bar around a loop."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ProgressBar(Rule):
    code = "TTR308"
    name = "progress-bar"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "loop over the plain sequence, or show progress in the caller"
    why = "tqdm is on the list of code that dynamo declines to trace into, and the loop around it is lost with it."
    fine = "Around the model rather than inside it."
    calls = ("tqdm.*", "alive_progress.*", "rich.progress.*")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        for _ in tqdm.tqdm(range(2), disable=True):
            x = x + 1
        return x
""",
            imports="import tqdm",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        for _ in range(2):
            x = x + 1
        return x
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` draws a progress bar")
