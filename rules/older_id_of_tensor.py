"""``id()`` of a tensor as a key, which only newer torch traces."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.lookups import is_key_only
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class OlderIdOfTensor(Rule):
    code = "TTR123"
    name = "older-id-of-tensor"
    family = Family.VALUE
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "use an explicit key instead of the tensor's identity, or a newer torch"
    why = "Older torch has no number for the identity of a tensor that it traces. Newer ones give it one that is good inside the function."
    fine = "On torch 2.13, as long as the number does not leave the function: TTR104."
    calls = ("builtins.id",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        scales = {id(y): 2}
        return y * scales[id(y)]
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        scales = {"y": 2}
        return (x + 1) * scales["y"]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.args[0]) if event.args and is_key_only(event) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the identity of a tensor{site.origin(site.event.args[0])}")
