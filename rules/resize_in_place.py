"""``resize_()`` and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ResizeInPlace(Rule):
    code = "TTR610"
    name = "resize-in-place"
    family = Family.MUTATION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "make a new tensor (view, reshape, torch.empty)"
    why = (
        "The shapes in a graph are fixed when it is traced; an operator that changes the shape or the storage of its input does not fit "
        "in."
    )
    fine = "Outside of traced code. `set_()` with a tensor is traced by torch 2.13 and is not reported."
    methods = ("resize_", "resize_as_")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.clone()
        y.resize_(2)
        return y + 1
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.clone().reshape(-1)
        return y + 1
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` changes the shape of a tensor in place")
