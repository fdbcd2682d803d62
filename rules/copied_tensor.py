"""Copies made by the ``copy`` module."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import External, Instance, Mapping, Sequence, Tensor, Value


class CopiedTensor(Rule):
    code = "TTR614"
    name = "copied-tensor"
    family = Family.INTROSPECTION
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "use .clone() for tensors, list(...) or dict(...) for containers; copy modules in __init__"
    why = (
        "The copy module takes objects apart by their own protocols, and for tensors and modules that is code that dynamo declines to "
        "trace into. copy.deepcopy of plain Python data is traced."
    )
    fine = "On configurations and other plain Python data with copy.deepcopy, and in __init__."
    calls = ("copy.copy", "copy.deepcopy")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return copy.deepcopy(x) + 1
""",
            imports="import copy",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        parts = copy.copy([x, x + 1])
        return parts[0] + parts[1]
""",
            imports="import copy",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.clone() + 1
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        sizes = copy.deepcopy([1, 2])
        return x * sizes[1]
""",
            imports="import copy",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return _copied(event)

    def check(self, site: Site) -> Iterator[Hit]:
        is_container = site.event.name == "copy.copy" and isinstance(site.event.args[0], Mapping | Sequence)
        targets = ALL_TARGETS - {Target.EXPORT_NONSTRICT} if is_container else None
        effect = "breaks the graph in compile, refused by fullgraph and strict export" if is_container else None
        yield site.hit(f"`{site.text()}` copies by the copy module", None, targets, effect)


def _copied(event: Event) -> Confidence | None:
    value = event.args[0] if event.args else None
    if value is None:
        return None
    if event.name == "copy.copy" and isinstance(value, Mapping | Sequence):
        return Confidence.LIKELY
    if _is_module(value) or _holds_tensor(value):
        return Confidence.LIKELY
    return of_tensor(value)


def _is_module(value: Value) -> bool:
    if isinstance(value, Instance):
        return "forward" in value.info.methods
    return isinstance(value, External) and load().is_module_class(value.dotted)


def _holds_tensor(value: Value) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_tensor(item) for item in (value.element, *(item for _, item in value.keys)))
    if isinstance(value, Sequence):
        return any(_holds_tensor(item) for item in (value.element, *(value.items or ())))
    return isinstance(value, Tensor) and value.sure
