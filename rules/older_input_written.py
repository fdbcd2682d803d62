"""An input written in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.arguments import is_plain_input
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class OlderInputWritten(Rule):
    code = "TTR648"
    name = "older-input-written"
    family = Family.MUTATION
    targets = frozenset()
    legacy_targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "work on a copy (`x = x.clone()`, or the operator without the underscore), or use a newer torch"
    why = "Non-strict export of older torch does not take programs that change their inputs."
    fine = "In compile, and on torch 2.13, where the exported program changes its input as well."
    methods = (
        "add_", "sub_", "mul_", "div_", "copy_", "fill_", "zero_", "clamp_", "masked_fill_", "index_fill_", "index_add_", "scatter_",
        "scatter_add_", "relu_", "exp_", "neg_", "sqrt_", "pow_", "normal_", "uniform_", "clamp_min_", "clamp_max_", "unsqueeze_",
        "squeeze_", "transpose_",
    )  # fmt: skip
    sees = ("item",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        x.add_(1)
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        x[0] = 5
        return x * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        x = x + 1
        return x * 2
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        node = event.node
        target = node.func.value if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else getattr(node, "value", None)
        is_input = isinstance(target, ast.Name) and is_plain_input(event.frame, target)
        return of_tensor(event.value) if is_input else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` writes to an input of the module", site.node if site.event.kind == "item" else None)
