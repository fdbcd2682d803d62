"""``torch.tensor`` of tensors."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Sequence, Tensor, Value

_REFUSED = ("torch.as_tensor", "torch.FloatTensor", "torch.LongTensor")


class TensorOfTensors(Rule):
    code = "TTR117"
    name = "tensor-of-tensors"
    family = Family.VALUE
    targets = frozenset({Target.EXPORT_NONSTRICT})
    effect = "refused by non-strict export"
    instead = "use torch.stack or torch.cat"
    why = (
        "torch.tensor reads the numbers out of what it is given. Compile and strict export put the tensors together inside the graph; "
        "non-strict export runs the code itself and has no numbers."
    )
    fine = "On Python numbers."
    calls = ("torch.tensor", "torch.as_tensor", "torch.FloatTensor", "torch.LongTensor")
    methods = ("new_tensor",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.tensor([x.sum(), x.max()])
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.as_tensor([x.sum(), x.max()])
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.stack([x.sum(), x.max()])
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        is_found = bool(event.args) and isinstance(event.args[0], Sequence) and _has_tensor(event.args[0])
        return Confidence.LIKELY if is_found else None

    def check(self, site: Site) -> Iterator[Hit]:
        is_refused = site.event.name in _REFUSED
        targets = ALL_TARGETS if is_refused else None
        effect = "fails in compile, refused by fullgraph and export" if is_refused else None
        yield site.hit(f"`{site.text()}` reads numbers out of tensors", None, targets, effect)


def _has_tensor(value: Value) -> bool:
    if isinstance(value, Sequence):
        return any(_has_tensor(item) for item in (value.items or (value.element,)))
    return isinstance(value, Tensor) and value.sure
