"""``id()`` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.lookups import is_key_only
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class IdOfTensor(Rule):
    code = "TTR104"
    name = "id-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export bakes the id of a fake tensor"
    instead = "pass an explicit key along instead of the tensor's identity"
    why = (
        "The tensors of a traced program are stand-ins, so their identity means nothing. What torch does about it differs most of all "
        "constructs between versions and with what happens to the number: returned, kept or compared, it breaks on 2.13; only looked up "
        "inside the function it is traced there, and breaks the graph on 2.2 (TTR123)."
    )
    fine = "Where the number is only a key that never leaves the function, and torch is new enough: that is not reported."
    calls = ("builtins.id",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        return y, id(y)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        if id(y) == id(x):
            return y
        return y * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.args[0]) if event.args and not is_key_only(event) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks for the identity of a tensor{site.origin(site.event.args[0])}")
