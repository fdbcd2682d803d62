"""A tensor handed to numpy."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Tensor, Value


class NumpyOfTensor(Rule):
    code = "TTR118"
    name = "numpy-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "compute with torch"
    why = (
        "Dynamo traces numpy as if it were torch. Non-strict export runs the real numpy, and the fake tensors of export hold no numbers "
        "to give it."
    )
    fine = "In compile and strict export, and outside of traced code."
    calls = ("numpy.array", "numpy.asarray", "numpy.ascontiguousarray")
    methods = ("numpy",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.numpy() * 2
        return torch.from_numpy(y) + 1
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x * 2
        return y + 1
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind == "method":
            return of_receiver(event.value)
        return of_tensor(event.args[0]) if event.args and not _is_array(event.args[0]) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` hands a tensor to numpy")


def _is_array(value: Value) -> bool:
    return isinstance(value, Tensor) and value.origin is not None and value.origin[0].startswith("numpy.")
