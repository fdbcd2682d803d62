"""``warnings.warn`` inside traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import COMPILE_TARGETS, Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class WarningsWarn(Rule):
    code = "TTR303"
    name = "warnings-warn"
    lost_at_export = "TTR501"
    family = Family.SKIPPED
    targets = COMPILE_TARGETS
    effect = "breaks the graph in compile, refused by fullgraph; export drops it"
    instead = "warn in __init__ or guard it with `if not torch.compiler.is_compiling():`"
    why = "The warnings module keeps global registries and is on the list of code that dynamo declines to trace into."
    fine = "In __init__, and under `if not torch.compiler.is_compiling():`."
    calls = ("warnings.warn", "warnings.warn_explicit")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        warnings.warn("slow path")
        return x + 1
""",
            imports="import warnings",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        if not torch.compiler.is_compiling():
            warnings.warn("slow path")
        return x + 1
""",
            imports="import warnings",
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` warns from traced code")
