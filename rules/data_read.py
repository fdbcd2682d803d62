"""``.data`` of a tensor read in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import tensor_of


class DataRead(Rule):
    code = "TTR613"
    name = "data-read"
    family = Family.MUTATION
    targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "use .detach()"
    why = (
        "Non-strict export runs the code on fake tensors and follows the operators. `.data` makes a tensor that no operator made, and "
        "export finds it among the constants of the program."
    )
    fine = "In compile and strict export, which trace it as a detach; and outside of traced code."
    attributes = ("data",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + x.data
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        self.fc.weight.data.mul_(0.5)
        return self.fc(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + x.detach()
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        known = of_tensor(event.value)
        # Only parameters that require gradients are refused; of a buffer, or a frozen parameter, nothing is.
        tensor = None if event.value is None else tensor_of(event.value)
        is_parameter = tensor is not None and tensor.origin is not None and tensor.origin[0] == "nn.Parameter"
        return known if is_parameter or known is None else Confidence.POSSIBLE

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` reads the data behind autograd")
