"""A cached function, which only newer torch traces."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Func


class OlderCachedFunction(Rule):
    code = "TTR649"
    name = "older-cached-function"
    family = Family.SKIPPED
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "call it once in __init__, or use a newer torch"
    why = "functools.lru_cache wraps the function in an object written in C, which older versions of dynamo do not look into."
    fine = "On torch 2.13, which traces the function and ignores the cache."
    sees = ("function",)
    bad = (
        Example(
            """
@functools.lru_cache(None)
def ramp(n):
    return torch.ones(n)


class Net(nn.Module):
    def forward(self, x):
        return x + ramp(4)
""",
            imports="import functools",
        ),
    )
    good = (
        Example(
            """
def ramp(n):
    return torch.ones(n)


class Net(nn.Module):
    def forward(self, x):
        return x + ramp(4)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        decorators = event.value.info.decorators if isinstance(event.value, Func) else []
        names = {ast.unparse(item.func if isinstance(item, ast.Call) else item).rpartition(".")[2] for item in decorators}
        return Confidence.LIKELY if names & {"lru_cache", "cache"} else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.event.name}` is a cached function")
