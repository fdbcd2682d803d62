"""A tensor as the key of a dict, which only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Mapping, Tensor


class OlderTensorKey(Rule):
    code = "TTR121"
    name = "older-tensor-key"
    family = Family.VALUE
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "fails in compile, refused by fullgraph and strict export"
    instead = "use an explicit key, or a newer torch"
    why = "The key of a tensor is its identity. Older versions of dynamo assert that a key is a plain Python value."
    fine = "On torch 2.13, which traces it."
    sees = ("key", "item")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        scales = {y: 2}
        return y * scales[y]
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        scales = {"y": 2}
        return y * scales["y"]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        key = event.value if event.kind == "key" else event.index if isinstance(event.value, Mapping) else None
        return of_tensor(key) if isinstance(key, Tensor) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` makes a tensor the key of a dict", site.node)
