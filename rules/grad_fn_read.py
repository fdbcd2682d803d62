"""``grad_fn`` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class GradFnRead(Rule):
    code = "TTR620"
    name = "grad-fn-read"
    family = Family.AUTOGRAD
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "ask for requires_grad"
    why = "The nodes of autograd are made when the graph runs backwards, and the stand-ins of a traced program have none."
    fine = "Outside of traced code."
    attributes = ("grad_fn",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        return y if y.grad_fn is None else y * 2
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
        y = self.fc(x)
        return y * 2 if y.requires_grad else y
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the node of autograd that made a tensor")
