"""The filters of ``warnings``."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class WarningsFilter(Rule):
    code = "TTR307"
    name = "warnings-filter"
    family = Family.SKIPPED
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "set the filter once, at import time"
    why = "The filters are state of the interpreter behind a lock, and dynamo has no rule for changing it."
    fine = "At import time, and as an option of the program. `warnings.catch_warnings()` without a filter inside is traced."
    calls = ("warnings.filterwarnings", "warnings.simplefilter", "warnings.resetwarnings")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = x + 1
        return y
""",
            imports="import warnings",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with warnings.catch_warnings():
            y = x + 1
        return y
""",
            imports="import warnings",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` changes how warnings are filtered")
