"""Changes of a module that only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import External, Instance


class OlderModuleState(Rule):
    code = "TTR643"
    name = "older-module-state"
    family = Family.MUTATION
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "change the module before it is compiled or exported, or use a newer torch"
    why = "The method writes to the module, and older versions of dynamo have no rule for calling it."
    fine = "On torch 2.13, which traces it."
    methods = ("eval", "train", "register_buffer", "zero_grad", "state_dict")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        self.eval()
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.fc.eval()
        return self.fc(x)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        self.train()
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        self.register_buffer("seen", x * 2)
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.zero_grad()
        return self.fc(x)
"""
        ),
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
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x) if self.training else x
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        value = event.value
        if isinstance(value, External):
            return Confidence.LIKELY if load().is_module_class(value.dotted) else None
        is_module = isinstance(value, Instance) and "forward" in value.info.methods
        return Confidence.LIKELY if is_module else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` works on the state of a module")
