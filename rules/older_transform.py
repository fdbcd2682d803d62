"""Transforms that only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class OlderTransform(Rule):
    code = "TTR645"
    name = "older-transform"
    family = Family.AUTOGRAD
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "apply the transform around the model, or use a newer torch"
    why = (
        "The call is a transformation of functions, or makes decisions over lists of parameters, that older versions of dynamo do not "
        "trace."
    )
    fine = "On torch 2.13, which traces it."
    calls = (
        "torch.vmap", "torch.func.vmap", "torch.func.grad", "torch.func.grad_and_value", "torch.func.vjp", "torch.func.jvp",
        "torch.func.jacrev", "torch.func.jacfwd", "torch.func.hessian", "torch.func.functional_call",
        "torch.nn.utils.clip_grad_norm_", "torch.compile",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.vmap(lambda row: row * 2)(x)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.func.grad(lambda y: (y * y).sum())(x)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return torch.func.functional_call(self.fc, dict(self.fc.named_parameters()), (x,))
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        nn.utils.clip_grad_norm_(self.parameters(), 1.0)
        return self.fc(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * 2
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` is not traced by older torch")
