"""Indexing with a boolean mask."""

from __future__ import annotations

import ast
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
        assert isinstance(event.node, ast.Subscript)
        mask = next(_masks(event.index, event.node.slice), None)
        if mask is None or event.value is None:
            return None
        base = tensor_of(drop_none(event.value))
        return Confidence.LIKELY if mask.sure and base is not None else Confidence.POSSIBLE

    def check(self, site: Site) -> Iterator[Hit]:
        assert isinstance(site.event.node, ast.Subscript)
        index = site.event.node.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        values = site.event.index.items or () if isinstance(site.event.index, Sequence) else (site.event.index,)
        at = next((i for i, (value, part) in enumerate(zip(values, parts, strict=False)) if any(_masks(value, part))), 0)
        yield site.hit(f"`{site.text()}` selects by a mask, so its shape depends on the data", parts[at])


def _masks(index: Value | None, node: ast.expr) -> Iterator[Tensor]:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    values = index.items or () if isinstance(index, Sequence) else (index,)
    for value, part in zip(values, parts, strict=False):
        tensor = None if value is None else tensor_of(drop_none(value))
        if tensor is not None and (tensor.dtype == "bool" or (not tensor.dtype and _is_named_mask(part))):
            yield tensor


def _is_named_mask(node: ast.expr) -> bool:
    """A tensor index holds bools or integers; one that is called a mask holds bools."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return "mask" in name.lower()
