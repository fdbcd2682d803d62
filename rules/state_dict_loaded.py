"""``load_state_dict`` in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import External, Instance


class StateDictLoaded(Rule):
    code = "TTR616"
    name = "state-dict-loaded"
    family = Family.MUTATION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "load the weights before the model is compiled or exported"
    why = "Loading writes into every parameter through code that asks for the storage of tensors, for which dynamo has no rule."
    fine = "Outside of traced code. Reading state_dict() is traced by torch 2.13."
    methods = ("load_state_dict",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.fc.load_state_dict(self.fc.state_dict())
        return self.fc(x)
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
        weights = self.fc.state_dict()
        return self.fc(x) + weights["bias"]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return Confidence.LIKELY if isinstance(event.value, Instance | External) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` loads weights in traced code")
