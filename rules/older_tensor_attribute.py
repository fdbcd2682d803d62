"""Attributes put on tensors, which only newer torch traces."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.arguments import is_plain_input
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class OlderTensorAttribute(Rule):
    code = "TTR644"
    name = "older-tensor-attribute"
    family = Family.MUTATION
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "carry the value along in a tuple or a dict, or use a newer torch"
    why = (
        "The tensors of a graph are operators' results and have no room for attributes; older versions of dynamo have no rule for "
        "setting one."
    )
    fine = "On torch 2.13, which traces it."
    sees = ("attribute",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        y.scale = 3
        return y * y.scale
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y, scale = x + 1, 3
        return y * scale
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        # Whoever puts attributes on an argument shows that it is no tensor but a record of some kind.
        node = event.node
        is_record = isinstance(node, ast.Attribute) and is_plain_input(event.frame, node.value)
        is_own = load().attribute(event.name) is None
        return of_tensor(event.value) if is_own and not is_record else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()} = ...` puts an attribute on a tensor")
