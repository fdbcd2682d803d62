"""``logging.getLogger`` inside traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class GetLogger(Rule):
    code = "TTR301"
    name = "get-logger"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "look the logger up once, at module level"
    why = "Looking a logger up takes locks and writes to global tables inside the logging package, where dynamo does not go."
    fine = "At module level or in __init__."
    calls = ("logging.getLogger",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        log = logging.getLogger("net")
        return x + len(log.name)
""",
            imports="import logging",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.log_name = logging.getLogger("net").name

    def forward(self, x):
        return x + len(self.log_name)
""",
            imports="import logging",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` looks a logger up in traced code")
