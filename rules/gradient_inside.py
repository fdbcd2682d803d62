"""Gradients computed inside traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class GradientInside(Rule):
    code = "TTR607"
    name = "gradient-inside"
    family = Family.AUTOGRAD
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "compute the gradient in the caller, or with torch.func.grad"
    why = "autograd runs over the graph that is being built here, and that graph has not run yet."
    fine = "In the training loop, outside of traced code."
    calls = ("torch.autograd.grad", "torch.autograd.backward")
    methods = ("backward",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        (grad,) = torch.autograd.grad(self.fc(x).sum(), self.fc.weight)
        return x @ grad
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x).sum()
        y.backward()
        return y.detach()
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.func.grad(lambda y: (y * y).sum())(x)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` computes gradients inside traced code")
