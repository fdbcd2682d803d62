"""Gradients and hooks of tensors that only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver, of_tensor
from flake8_torchtrace.source.site import Site


class OlderTensorHook(Rule):
    code = "TTR646"
    name = "older-tensor-hook"
    family = Family.AUTOGRAD
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "register the hook in the caller, or use a newer torch"
    why = "Older versions of dynamo take only hooks that are functions of the module's file, and know no gradients of parameters."
    fine = "On torch 2.13, which traces it."
    methods = ("register_hook",)
    attributes = ("grad",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        y = self.fc(x)
        y.register_hook(lambda grad: grad * 2)
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
        if self.fc.weight.grad is None:
            x = x + 1
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
        return self.fc(x).sum()
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_receiver(event.value) if event.kind == "method" else of_tensor(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` is a matter of gradients")
