"""Containers and enums that only newer torch builds."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class OlderContainer(Rule):
    code = "TTR641"
    name = "older-container"
    family = Family.CONSTRUCTION
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "build it in __init__ or at the level of the module, or use a newer torch"
    why = (
        "Building the object runs code of Python's library, or of torch.nn.Module, that older versions of dynamo decline to trace into."
    )
    fine = "On torch 2.13, which traces it."
    calls = (
        "torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "collections.Counter", "collections.deque", "enum.Enum",
        "enum.IntEnum",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return nn.Sequential(nn.ReLU())(x)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        for layer in nn.ModuleList([nn.ReLU(), nn.Tanh()]):
            x = layer(x)
        return x
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        counts = collections.Counter([1, 1])
        return x * counts[1]
""",
            imports="import collections",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        recent = collections.deque(maxlen=2)
        recent.append(x)
        return recent[0] * 2
""",
            imports="import collections",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        kind = enum.Enum("Kind", "A B")
        return x * kind.A.value
""",
            imports="import enum",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        layers = [torch.relu, torch.tanh]
        return layers[0](x)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` builds a container in traced code")
