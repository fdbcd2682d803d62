"""Nested tensors built in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class NestedTensor(Rule):
    code = "TTR622"
    name = "nested-tensor"
    family = Family.CONSTRUCTION
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "pad the tensors and use a mask, or build it in the caller with layout=torch.jagged"
    why = "The layout of nested tensors that this makes has no stand-in for tracing."
    fine = "Outside of traced code."
    calls = ("torch.nested.nested_tensor", "torch.nested.as_nested_tensor")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.nested.nested_tensor([x, x]).to_padded_tensor(0.0)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.stack([x, x])
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` builds a nested tensor")
