"""``.data`` of a tensor assigned in traced code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.arguments import is_plain_input
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class DataAssigned(Rule):
    code = "TTR612"
    name = "data-assigned"
    family = Family.MUTATION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export drops it"
    instead = "use the new tensor in place of the old one"
    why = (
        "Assigning `.data` gives a tensor another storage behind the back of autograd, and a graph has no operator for that. On "
        "parameters and inputs compile takes it and non-strict export refuses it."
    )
    fine = "In __init__ and in the training loop."
    sees = ("attribute",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.clone()
        y.data = torch.zeros(2, 4)
        return y + 1
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.fc.weight.data = torch.ones(4, 4)
        return self.fc(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = torch.zeros(2, 4)
        return y + 1
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.value) if event.name == "data" else None

    def check(self, site: Site) -> Iterator[Hit]:
        node = site.event.node
        is_local = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and not is_plain_input(site.event.frame, node.value)
        what = f"`{site.text()} = ...` gives a tensor another storage"
        if is_local:
            yield site.hit(what)
        else:
            yield site.hit(what, None, frozenset({Target.EXPORT_NONSTRICT}), "refused by non-strict export")
