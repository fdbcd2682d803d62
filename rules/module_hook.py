"""Hooks registered on modules in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import External, Instance


class ModuleHook(Rule):
    code = "TTR611"
    name = "module-hook"
    family = Family.AUTOGRAD
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "register the hook once, in __init__ or around the model"
    why = (
        "A hook changes what calling a module means, and dynamo has decided that when it started to trace. Hooks that are there before "
        "are traced."
    )
    fine = "In __init__."
    methods = (
        "register_forward_hook", "register_forward_pre_hook", "register_full_backward_hook", "register_full_backward_pre_hook",
        "register_backward_hook",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        handle = self.fc.register_forward_hook(lambda module, args, result: result * 2)
        y = self.fc(x)
        handle.remove()
        return y
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
        self.fc.register_forward_hook(lambda module, args, result: result * 2)

    def forward(self, x):
        return self.fc(x)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return Confidence.LIKELY if isinstance(event.value, Instance | External) else of_receiver(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` registers a hook in traced code")
