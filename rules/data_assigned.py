"""``.data`` of a tensor assigned in traced code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.arguments import is_plain_input
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Value, tensor_of


class DataAssigned(Rule):
    code = "TTR612"
    name = "data-assigned"
    family = Family.MUTATION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export drops it"
    instead = "use the new tensor in place of the old one"
    why = (
        "Assigning `.data` gives a tensor another storage behind the back of autograd. For a tensor that is made inside the graph there is "
        "no operator for that; of parameters and inputs it is traced."
    )
    fine = "On parameters, in __init__ and in the training loop."
    sees = ("attribute",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.clone()
        y.data = torch.zeros(2, 4)
        return y + 1
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = torch.zeros(2, 4)
        return y + 1
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        node = event.node
        if event.name != "data" or not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        is_outer = is_plain_input(event.frame, node.value) or _is_parameter(event.value)
        return None if is_outer else of_tensor(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()} = ...` gives a tensor another storage")


def _is_parameter(value: Value | None) -> bool:
    tensor = None if value is None else tensor_of(value)
    return tensor is not None and tensor.origin is not None and tensor.origin[0].endswith((".weight", ".bias", "nn.Parameter"))
