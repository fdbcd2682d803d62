"""The address of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class DataPointer(Rule):
    code = "TTR115"
    name = "data-pointer"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "compare by an explicit key or by `is`"
    why = (
        "The tensors of a traced program are stand-ins without memory. Dynamo carries the address around but cannot compute or decide "
        "with it; non-strict export refuses to ask."
    )
    fine = "Where nothing is done with the address in compile; and outside of traced code."
    methods = ("data_ptr",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        if x.data_ptr() == y.data_ptr():
            return x
        return y
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the address of a tensor")
