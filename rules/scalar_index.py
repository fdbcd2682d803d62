"""A tensor indexed by a 0-d tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Sequence, Tensor, drop_none


class ScalarIndex(Rule):
    code = "TTR112"
    name = "scalar-index"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "keep one dimension (`i.reshape(1)` and index by that, or torch.index_select)"
    why = (
        "An index without dimensions is read out of the tensor as a Python int (torch/csrc/autograd/python_variable_indexing.cpp); an "
        "index with one dimension is an operator."
    )
    fine = (
        "With an index tensor that has dimensions. A 0-d int tensor that is an input of the module is known to torch in compile, and "
        "only strict export refuses it."
    )
    sees = ("subscript", "item")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        best = x.sum(1).argmax()
        return x[best]
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.clone()
        y[x.sum(1).argmax()] = 0.0
        return y
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        best = x.sum(1).argmax(0, keepdim=True)
        return x[best]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        base = None if event.value is None else drop_none(event.value)
        if not isinstance(base, Tensor) or not base.sure:
            return None
        parts = event.index.items or () if isinstance(event.index, Sequence) and event.index.type == "tuple" else (event.index,)
        is_found = any(isinstance(part, Tensor) and part.sure and part.is_scalar and part.dtype != "bool" for part in parts)
        return Confidence.LIKELY if is_found else None

    def check(self, site: Site) -> Iterator[Hit]:
        is_write = site.event.kind == "item"
        targets = ALL_TARGETS if is_write else None
        effect = "breaks the graph in compile, refused by fullgraph and export" if is_write else None
        yield site.hit(f"`{site.text()}` reads its index out of a 0-d tensor", site.node, targets, effect)
