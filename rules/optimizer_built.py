"""An optimizer built in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class OptimizerBuilt(Rule):
    code = "TTR605"
    name = "optimizer-built"
    family = Family.CONSTRUCTION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "build the optimizer once, beside the model"
    why = "An optimizer registers hooks and keeps state by parameter; building one is set-up work that a graph cannot hold."
    fine = "In the training loop, outside of traced code."
    calls = ("torch.optim.*",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        optimizer = torch.optim.SGD(self.fc.parameters(), lr=0.1)
        return self.fc(x) * optimizer.defaults["lr"]
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) * 0.1
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return Confidence.LIKELY if event.name.rpartition(".")[2][:1].isupper() else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` builds an optimizer in traced code")
