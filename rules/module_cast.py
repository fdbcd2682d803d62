"""A module moved or cast in traced code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import External, Instance


class ModuleCast(Rule):
    code = "TTR621"
    name = "module-cast"
    family = Family.MUTATION
    targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "move and cast the module before it is exported"
    why = (
        "Moving a module writes to all its parameters. Compile and strict export take it; in non-strict export the parameters are fake "
        "and cannot be swapped."
    )
    fine = "In compile and strict export, and outside of traced code. On tensors it is an operator."
    methods = ("to", "float", "double", "half", "bfloat16", "cuda", "cpu", "to_empty")
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.fc.to(torch.float32)
        return self.fc(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x.to(torch.float32))
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        value = event.value
        is_module = isinstance(value, External) and load().is_module_class(value.dotted)
        is_module = is_module or (isinstance(value, Instance) and "forward" in value.info.methods)
        return Confidence.LIKELY if is_module and _is_own(event.node) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` moves or casts a module in traced code")


def _is_own(node: ast.AST) -> bool:
    """Whether the module is, or hangs on, ``self``: of one that is built on the way nothing is known to be fake."""
    while isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name) and node.id == "self"
