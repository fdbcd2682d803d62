"""Bytes and bare objects built in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class BytesBuilt(Rule):
    code = "TTR211"
    name = "bytes-built"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "build them once, at the level of the module"
    why = "Dynamo has no rule for the constructors of these builtins."
    fine = "As a literal, and outside of traced code."
    calls = ("builtins.bytearray", "builtins.bytes", "builtins.memoryview", "builtins.object")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        data = bytearray(b"abc")
        return x * len(data)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        mark = object()
        return x * 2 if mark is not None else x
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        data = b"abc"
        return x * len(data)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` builds an object that cannot be traced")
