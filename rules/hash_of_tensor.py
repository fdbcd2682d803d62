"""``hash()`` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class HashOfTensor(Rule):
    code = "TTR206"
    name = "hash-of-tensor"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "pass an explicit key along instead of the tensor's identity"
    why = (
        "The hash of a tensor is its identity, and the tensors of a traced program are stand-ins. Dynamo can carry such a number around "
        "but has no rule for computing with it."
    )
    fine = "As a key of a dict or a set: that is traced, and is not reported."
    calls = ("builtins.hash",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        key = hash(x) % 8
        return x * key
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        seen = {x: 1}
        return x * seen[x]
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.args[0]) if event.args else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the hash of a tensor{site.origin(site.event.args[0])}")
