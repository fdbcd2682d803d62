"""A branch whose test is a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class BranchOnTensor(Rule):
    code = "TTR101"
    name = "branch-on-tensor"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "use torch.where, torch.cond or a mask"
    why = (
        "Which branch runs depends on the numbers in the tensor, and those exist only when the graph has run. compile splits the "
        "graph there and lets Python decide; export has no Python to fall back to and refuses."
    )
    fine = "Under `if not torch.compiler.is_compiling():`, and where the test is on shapes, dtypes or None: such tests are not reported."
    sees = ("test",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.cos() if (x > 0).all() else x.sin()
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.where(x.sum() > 0, x * 2, x)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        if x.shape[0] > 1:
            return x * 2
        return x
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        # An assert with a constant message becomes an assertion inside the graph (torch/_dynamo/symbolic_convert.py).
        return None if event.context == "assert" else of_tensor(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        asked = _ASKED_BY.get(site.event.context, f"`{site.event.context}` asks")
        yield site.hit(f"{asked} for the truth of the tensor `{site.text()}`{site.origin(site.event.value)}", site.node)


_ASKED_BY = {
    "conditional expression": "a conditional expression asks",
    "comprehension condition": "a comprehension condition asks",
    "chained comparison": "a chained comparison asks",
    "assert with a computed message": "an assert with a computed message asks",
    "assert with branches": "a part of an assert asks",
    "match guard": "a match guard asks",
}
