"""``.item()`` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Family, Target
from flake8_torchtrace.source.arguments import ast_receiver, counts_with_input
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ItemOfTensor(Rule):
    code = "TTR103"
    name = "item-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export writes it into the graph"
    instead = "keep the 0-d tensor"
    why = (
        "A Python number must be there before Python goes on, so compile ends the graph at this line. Export can write the number "
        "down as an unbacked symbol, but only as long as nothing in Python is decided by it: a branch, a range or a list index on it "
        "is refused."
    )
    fine = "Outside of traced code, for example when logging a loss in the training loop."
    methods = ("item",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x - x.mean().item()
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        n = x.sum().item()
        if n > 0:
            return x * 2
        return x
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, n):
        for _ in range(n.item()):
            x = x + 1
        return x
""",
            inputs="torch.randn(2, 4), torch.tensor(2)",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x - x.mean()
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        what = f"`{site.text()}` takes a Python number out of a tensor{site.origin(site.event.value)}"
        if not site.event.decides:
            yield site.hit(what)
            return
        lines = sorted({getattr(node, "lineno", 0) for node in site.event.decides})
        where = ", ".join(str(line) for line in lines if line)
        is_known = counts_with_input(site.event, ast_receiver(site.event))
        targets = ALL_TARGETS - {Target.FULLGRAPH} if is_known else ALL_TARGETS
        yield site.hit(
            f"{what} and it decides control flow in line{'s' if ',' in where else ''} {where}", targets=targets, effect=effect_of(targets)
        )
