"""``one_hot`` with the number of classes, which only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, data_dependence
from flake8_torchtrace.source.site import Site


class OlderOneHot(Rule):
    code = "TTR404"
    name = "older-one-hot"
    family = Family.DYNAMIC_SHAPE
    targets = frozenset()
    legacy_targets = frozenset(Target)
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "compare with torch.arange(classes), or use a newer torch"
    why = (
        "Older versions of one_hot look at the smallest and the largest number in the tensor to check the number of classes, and those "
        "exist only when the graph has run."
    )
    fine = "On torch 2.13, which does not check inside a graph."
    calls = ("torch.nn.functional.one_hot",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return F.one_hot(x, 3)
""",
            inputs="torch.tensor([0, 2, 1])",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return (x[:, None] == torch.arange(3)).long()
""",
            inputs="torch.tensor([0, 2, 1])",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return None if data_dependence(event) == "shape" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` checks its classes by the numbers in the tensor")
