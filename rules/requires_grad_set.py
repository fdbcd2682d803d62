"""``requires_grad`` set inside traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import TRUE, External, Instance, known_truth


class RequiresGradSet(Rule):
    code = "TTR603"
    name = "requires-grad-set"
    family = Family.AUTOGRAD
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "mark the tensor before it enters the traced code"
    why = "Whether gradients flow is decided for the whole graph before it runs; a graph cannot switch it on in the middle."
    fine = "On parameters, outside of forward."
    methods = ("requires_grad_",)
    sees = ("attribute",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x * 2
        y.requires_grad_()
        return y.sum()
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = (x * 2).detach()
        y.requires_grad = True
        return y.sum()
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.fc.requires_grad_(False)
        return self.fc(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return (x * 2).sum()
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind == "attribute":
            return of_tensor(event.value) if event.name == "requires_grad" else None
        if isinstance(event.value, Instance | External):
            return _of_module(event)
        given = event.args[0] if event.args else event.keywords.get("requires_grad", TRUE)
        return None if known_truth(given) is False else of_receiver(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` switches gradients on or off inside traced code")


def _of_module(event: Event) -> Confidence | None:
    """Parameters need gradients unless somebody said otherwise, so only taking that away is known to change something."""
    given = event.args[0] if event.args else event.keywords.get("requires_grad", TRUE)
    return Confidence.LIKELY if known_truth(given) is False else None
