"""Indexing with a boolean mask."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Sequence, Tensor, Value, drop_none, tensor_of


class MaskIndex(Rule):
    code = "TTR402"
    name = "mask-index"
    family = Family.DYNAMIC_SHAPE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export gives the result an unbacked size"
    instead = "multiply by the mask or use torch.where so that the shape stays"
    why = "Indexing with a mask selects as many elements as are true, so the shape of the result is data (it is nonzero in disguise)."
    fine = "Assigning a number to masked places (`x[mask] = 0`) keeps the shape and is not reported."
    sees = ("subscript",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        mask = x > 0
        return x[mask].sum()
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        mask = x > 0
        return (x * mask).sum()
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        base = tensor_of(drop_none(event.value)) if event.value is not None else None
        mask = next(_masks(event.index), None)
        if mask is None:
            return None
        is_sure = mask.sure and (base is None or base.sure or mask.dtype == "bool")
        return Confidence.LIKELY if is_sure and base is not None else Confidence.POSSIBLE

    def check(self, site: Site) -> Iterator[Hit]:
        import libcst

        node = site.node
        assert isinstance(node, libcst.Subscript)
        parts = [element.slice for element in node.slice]
        at = next((part for part in parts if isinstance(part, libcst.Index) and any(_masks(site.value(part.value)))), parts[0])
        yield site.hit(f"`{site.text()}` selects by a mask, so its shape depends on the data", at)


def _masks(index: Value | None) -> Iterator[Tensor]:
    for part in index.items or () if isinstance(index, Sequence) else (index,):
        tensor = None if part is None else tensor_of(drop_none(part))
        if tensor is not None and tensor.dtype == "bool":
            yield tensor
