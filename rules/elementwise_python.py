"""A Python function applied to every element."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ElementwisePython(Rule):
    code = "TTR212"
    name = "elementwise-python"
    family = Family.NO_HANDLER
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "write it with operators of torch, which work on all elements at once"
    why = "The function is called in Python once for each number in the tensor, and those numbers exist only when the graph has run."
    fine = "Outside of traced code. On modules, apply() is traced."
    methods = ("apply_", "map_", "map2_")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.clone().apply_(lambda value: value * 2)
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
        yield site.hit(f"`{site.text()}` calls Python for every element")
