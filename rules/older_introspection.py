"""Questions about the program that only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class OlderIntrospection(Rule):
    code = "TTR642"
    name = "older-introspection"
    family = Family.INTROSPECTION
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "ask once, outside of traced code, or use a newer torch"
    why = "Older versions of dynamo have no rule for the call and decline to run it."
    fine = "On torch 2.13, which traces it."
    calls = ("builtins.vars", "builtins.locals", "builtins.eval", "copy.deepcopy", "weakref.ref", "weakref.proxy")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        names = vars(self)
        return x * len(names)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        names = locals()
        return x * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * eval("1 + 1")
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        sizes = copy.deepcopy([1, 2])
        return x * sizes[1]
""",
            imports="import copy",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        owner = weakref.ref(self)
        return x * 2
""",
            imports="import weakref",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * 2 if hasattr(self, "fc") else x * 3
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks about the running program")
