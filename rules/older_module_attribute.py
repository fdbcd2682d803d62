"""An attribute of the module set in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Instance


class OlderModuleAttribute(Rule):
    code = "TTR647"
    name = "older-module-attribute"
    family = Family.MUTATION
    targets = frozenset()
    legacy_targets = frozenset({Target.EXPORT_STRICT})
    effect = "refused by strict export"
    instead = "return the value, or use a newer torch"
    why = (
        "Strict export of older torch asserts that the traced code does not change the attributes of the module. Newer ones drop the "
        "change."
    )
    fine = "In compile, and on torch 2.13. There the exported program does not set the attribute: a counter stays where it was."
    sees = ("attribute",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.mean(0)
        return x - self.mean
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        return x - self.mean
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        value = event.value
        is_own = isinstance(value, Instance) and value == event.frame.self_value and "forward" in value.info.methods
        return Confidence.LIKELY if is_own else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()} = ...` changes the module")
