"""An assert whose test is a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class AssertOnTensor(Rule):
    code = "TTR110"
    name = "assert-on-tensor"
    family = Family.VALUE
    targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "use torch._assert_async, or assert on shapes and dtypes"
    why = (
        "Compile and strict export turn the assert into an assertion inside the graph (torch/_dynamo/symbolic_convert.py). Non-strict "
        "export runs the code itself and cannot know whether it holds."
    )
    fine = "In compile and strict export. An assert with a computed message or with `and`, `or`, `not` breaks those too, see TTR101."
    sees = ("test",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        assert (x > -100).all(), "too small"
        return x * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        assert x.shape[-1] == 4, "wrong width"
        return x * 2
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.value) if event.context == "assert" else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"an assert asks for the truth of the tensor `{site.text()}`{site.origin(site.event.value)}", site.node)
