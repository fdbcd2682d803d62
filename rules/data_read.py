"""``.data`` of a tensor read in traced code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site

_SHAPE = {"shape", "dtype", "device", "ndim", "size", "dim", "numel", "stride", "layout"}


class DataRead(Rule):
    code = "TTR613"
    name = "data-read"
    family = Family.MUTATION
    targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "use .detach()"
    why = (
        "Non-strict export runs the code on fake tensors and follows the operators. `.data` makes a tensor that no operator made, and "
        "export finds it among the constants of the program."
    )
    fine = "In compile and strict export, which trace it as a detach; and outside of traced code."
    attributes = ("data",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + x.data
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        weight = self.fc.weight
        weight.data.mul_(0.5)
        return self.fc(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + x.detach()
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        known = None if _asks_for_shape(event) else of_tensor(event.value)
        return Confidence.POSSIBLE if known is not None and _is_own_state(event.node) else known

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` reads the data behind autograd")


def _is_own_state(node: ast.AST) -> bool:
    """``self.average.data.mul_(...)``: a module that updates its own state this way does so in training, which is not what is exported."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id == "self"


def _asks_for_shape(event: Event) -> bool:
    """``weight.data.shape``: nothing of the data gets into the program."""
    function = None if event.frame.info is None else event.frame.info.node
    around = [] if function is None else [node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.value is event.node]
    return any(node.attr in _SHAPE for node in around)
