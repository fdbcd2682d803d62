"""``retain_grad()`` in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class RetainGrad(Rule):
    code = "TTR608"
    name = "retain-grad"
    family = Family.AUTOGRAD
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "return the tensor and ask for its gradient in the caller"
    why = "The intermediate tensors of a compiled graph are not those that autograd sees, so there is nothing to keep the gradient of."
    fine = "Outside of traced code."
    methods = ("retain_grad",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        y.retain_grad()
        return y * 2
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
        return self.fc(x) * 2
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` keeps a gradient inside traced code")
