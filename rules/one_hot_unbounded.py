"""``one_hot`` that counts the classes itself."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, data_dependence
from flake8_torchtrace.source.site import Site


class OneHotUnbounded(Rule):
    code = "TTR403"
    name = "one-hot-without-classes"
    family = Family.DYNAMIC_SHAPE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "pass num_classes"
    why = "Without num_classes the width of the result is the largest number in the tensor, which exists only when the graph has run."
    fine = "With num_classes: then it is not reported."
    calls = ("torch.nn.functional.one_hot",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return F.one_hot(x)
""",
            inputs="torch.tensor([0, 2, 1])",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return F.one_hot(x, 3)
""",
            inputs="torch.tensor([0, 2, 1])",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return Confidence.LIKELY if data_dependence(event) == "shape" else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"the width of `{site.text()}` is the largest number in the tensor")
