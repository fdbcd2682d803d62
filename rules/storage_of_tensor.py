"""The storage of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class StorageOfTensor(Rule):
    code = "TTR209"
    name = "storage-of-tensor"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "ask for what you need in terms of shape, stride and dtype"
    why = "The stand-ins of a traced program have no memory to tell of."
    fine = "Outside of traced code."
    methods = ("storage", "untyped_storage", "storage_offset", "is_shared")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        offset = (x + 1).storage_offset()
        return x * offset
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        shared = (x + 1).is_shared()
        return x * 2 if shared else x
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        size = (x + 1).untyped_storage().nbytes()
        return x * size
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * x.stride(0)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the memory of a tensor")
