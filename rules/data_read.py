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
        if known is None or _is_asked_of_training(event):
            return None
        return Confidence.POSSIBLE if _may_be_update(event) else known

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` reads the data behind autograd")


def _may_be_update(event: Event) -> bool:
    """A helper that updates the state of a module, its own or one that it is given, does so in training, which is not what is exported."""
    is_helper = len(event.frame.chain) > 1
    root: ast.AST = event.node
    while isinstance(root, ast.Attribute):
        root = root.value
    own = {"self"} | ({argument.arg for argument in event.frame.info.node.args.args} if event.frame.info is not None else set())
    is_own = isinstance(root, ast.Name) and root.id in own
    return is_own and (is_helper or any(True for _ in _tests_around(event)))


def _is_asked_of_training(event: Event) -> bool:
    return any(isinstance(node, ast.Attribute) and node.attr == "training" for test in _tests_around(event) for node in ast.walk(test))


def _tests_around(event: Event) -> Iterator[ast.expr]:
    """The tests of the `if` statements that the event stands in."""
    function = None if event.frame.info is None else event.frame.info.node
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.If) and any(inner is event.node for part in (*node.body, *node.orelse) for inner in ast.walk(part)):
            yield node.test


def _asks_for_shape(event: Event) -> bool:
    """``weight.data.shape``: nothing of the data gets into the program."""
    function = None if event.frame.info is None else event.frame.info.node
    around = [] if function is None else [node for node in ast.walk(function) if isinstance(node, ast.Attribute) and node.value is event.node]
    return any(node.attr in _SHAPE for node in around)
