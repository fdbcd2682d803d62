"""Parameters and buffers built in traced code."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ParameterBuilt(Rule):
    code = "TTR304"
    name = "parameter-built"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "create the parameter in __init__, or use a plain tensor"
    why = "A parameter made inside the graph would be a new leaf of autograd at every call, which a graph cannot hold."
    fine = "In __init__."
    calls = ("torch.nn.Parameter", "torch.nn.Buffer", "torch.nn.parameter.Buffer")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        p = nn.Parameter(torch.ones(4))
        return x * p
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        self.shift = nn.Buffer(torch.ones(4))
        return x + self.shift
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(4))

    def forward(self, x):
        return x * self.p
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return Confidence.LIKELY if not event.name.endswith("Buffer") or _is_kept(event) else None

    def check(self, site: Site) -> Iterator[Hit]:
        what = "buffer" if site.event.name.endswith("Buffer") else "parameter"
        yield site.hit(f"`{site.text()}` builds a {what} in traced code")


def _is_kept(event: Event) -> bool:
    """Whether it becomes an attribute of a module, which registers it."""
    function = None if event.frame.info is None else event.frame.info.node
    assigned = [node for node in ast.walk(function) if isinstance(node, ast.Assign) and node.value is event.node] if function else []
    return any(isinstance(target, ast.Attribute) for node in assigned for target in node.targets)
