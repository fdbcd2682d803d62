"""One tensor given twice to an autograd.Function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import tensor_of


class DuplicateArgument(Rule):
    code = "TTR623"
    name = "duplicate-argument"
    family = Family.AUTOGRAD
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "give the function one argument for both"
    why = "Dynamo traces a custom autograd.Function as a function of distinct inputs, and gives up if two of them are one tensor with gradients."
    fine = "Where nothing needs a gradient, which the code alone does not show; verification tells."
    methods = ("apply",)
    bad = (
        Example(
            """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        return Product.apply(y, y)
""",
            inputs="torch.randn(2, 4, requires_grad=True)",
        ),
    )
    good = (
        Example(
            """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


class Net(nn.Module):
    def forward(self, x):
        return Product.apply(x, x + 1)
""",
            inputs="torch.randn(2, 4, requires_grad=True)",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        repeated = _repeated(event)
        return None if repeated is None else of_tensor(event.args[repeated]) or Confidence.POSSIBLE

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` gets one tensor twice")


def _repeated(event: Event) -> int | None:
    """The position of an argument that is a name and stands there a second time."""
    if not isinstance(event.node, ast.Call) or (event.value is not None and tensor_of(event.value) is not None):
        return None
    given = [ast.unparse(argument) if isinstance(argument, ast.Name | ast.Attribute) else "" for argument in event.node.args]
    return next((place for place, text in enumerate(given) if text and given.count(text) > 1 and place < len(event.args)), None)
