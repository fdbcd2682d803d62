"""Patterns, paths and settings that only newer torch reads."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Ref


class OlderTextAndSettings(Rule):
    code = "TTR213"
    name = "older-text-and-settings"
    family = Family.NO_HANDLER
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "read it once in __init__ or at the level of the module, or use a newer torch"
    why = (
        "Matching text and reading the environment is code of Python's library that older versions of dynamo decline to trace into, or "
        "fail in."
    )
    fine = "On torch 2.13, which traces it."
    calls = (
        "re.match", "re.search", "re.fullmatch", "re.sub", "re.split", "re.findall", "re.compile", "os.environ.get", "os.getenv",
        "os.path.join", "os.path.basename", "os.path.dirname", "os.path.splitext",
    )  # fmt: skip
    sees = ("subscript",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        found = re.match("a", "ab")
        return x * 2
""",
            imports="import re",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        found = re.sub("a", "b", "ab")
        return x * len(found)
""",
            imports="import re",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        home = os.environ.get("HOME")
        return x * 2
""",
            imports="import os",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        home = os.getenv("HOME")
        return x * 2
""",
            imports="import os",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        home = os.environ["PATH"]
        return x * 2
""",
            imports="import os",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        path = os.path.join("a", "b")
        return x * len(path)
""",
            imports="import os",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        text = "a" + "b"
        return x * len(text)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind == "call":
            return Confidence.LIKELY
        return Confidence.LIKELY if event.value == Ref("os.environ") else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` matches text or reads a setting", site.node if site.event.kind == "subscript" else None)
