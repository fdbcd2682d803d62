"""A branch or a loop that is decided by a size that is data: how many elements a mask or ``nonzero`` selected."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.sizes import has_data_size, is_data_size
from flake8_torchtrace.source.values import Tensor

_NON_STRICT = frozenset({Target.EXPORT_NONSTRICT})


class BranchOnDataSize(Rule):
    code = "TTR406"
    name = "branch-on-data-size"
    family = Family.DYNAMIC_SHAPE
    targets = frozenset({Target.FULLGRAPH, Target.EXPORT_STRICT, Target.EXPORT_NONSTRICT})
    effect = "refused by fullgraph and export"
    instead = "write it so that it holds for any number of elements, none included (torch does nothing for none)"
    why = (
        "How many elements a mask, `nonzero` and their kin select is known when the graph has run; until then the size is an unbacked symbol, "
        "and no branch can be chosen by it. A default compile has broken the graph at the selection itself, and branches in Python. `len()` "
        "must give a Python int, which non-strict export refuses for such a size even where nothing is decided: `.shape[0]` stays symbolic."
    )
    fine = "On sizes that the inputs fix, such as `x.shape[0]`, as a size of a new tensor, and where all sizes it can have give one answer."
    sees = ("test", "iteration")
    calls = ("builtins.range", "builtins.len")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        rows = x[x.sum(1) > 0]
        if rows.shape[0] == 0:
            return x
        return rows
""",
            beside=("TTR402",),
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        places = torch.nonzero(x)
        if len(places) > 3:
            return places
        return x
""",
            beside=("TTR401",),
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        total = x.sum()
        values = torch.unique(x)
        for i in range(values.numel()):
            total = total + i
        return total
""",
            beside=("TTR401",),
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        total = x.sum()
        places = torch.where(x[0] > 0)[0]
        for place in places:
            total = total + place
        return total
""",
            beside=("TTR401",),
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        rows = torch.where(x[0] > 0)[0]
        return x.sum() / len(rows)
""",
            beside=("TTR401",),
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        if x.shape[0] == 1:
            return x
        return torch.where(x.sum(1, keepdim=True) > 0, x, 0.0)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.sum() / (x > 0).sum()
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind == "test":
            found = is_data_size(event.value)
        elif event.kind == "iteration":
            found = isinstance(event.value, Tensor) and has_data_size(event.value)
        elif event.name == "builtins.range":
            found = any(map(is_data_size, event.args))
        else:
            found = bool(event.args) and isinstance(event.args[0], Tensor) and has_data_size(event.args[0]) and not _decides(event)
        return Confidence.LIKELY if found else None

    def check(self, site: Site) -> Iterator[Hit]:
        event = site.event
        if event.name == "builtins.len":
            yield site.hit(f"`{site.text()}` is a size that is data, and must be a Python int", None, _NON_STRICT, effect_of(_NON_STRICT))
        elif event.kind == "iteration":
            yield site.hit(f"a loop over `{site.text()}`, whose length is data", site.node)
        elif event.kind == "call":
            yield site.hit(f"`{site.text()}` ends at a size that is data")
        else:
            targets = _NON_STRICT if event.context == "assert" else None
            yield site.hit(f"`{site.text()}` asks for a size that is data", site.node, targets, effect_of(targets) if targets else None)


def _decides(event: Event) -> bool:
    """Whether the call stands where the size decides something, and is reported as that."""
    statement = event.frame.statement
    tests = [node.test for node in ast.walk(statement) if isinstance(node, ast.If | ast.While | ast.IfExp)] if statement is not None else []
    ranges = [node for node in ast.walk(statement) if isinstance(node, ast.For | ast.comprehension)] if statement is not None else []
    return any(event.node is inner for test in (*tests, *(loop.iter for loop in ranges)) for inner in ast.walk(test))
