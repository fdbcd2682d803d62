"""A tensor made into text."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site

_NON_STRICT = frozenset({Target.EXPORT_NONSTRICT})


class TextOfTensor(Rule):
    code = "TTR116"
    name = "text-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "keep text to shapes and dtypes, or make it in the caller"
    why = "The text shows the numbers, and those exist only when the graph has run."
    fine = "On shapes, dtypes and devices. An f-string without `!r` is traced as long as nothing is decided or computed by its text."
    calls = ("builtins.str", "builtins.repr", "builtins.format", "builtins.ascii")
    sees = ("format",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        text = str(x.sum())
        return x * len(text)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        text = str(x.dtype)
        return x * len(text)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if event.kind == "format":
            return of_tensor(event.value) if event.context else None
        return of_tensor(event.args[0]) if event.args else None

    def check(self, site: Site) -> Iterator[Hit]:
        if site.event.context == "specification":
            # Dynamo puts the text off; the tensors of non-strict export do not know such formats.
            what = f"an f-string formats the tensor `{site.text()}`{site.origin(site.event.value)}"
            yield site.hit(what, site.node, _NON_STRICT, effect_of(_NON_STRICT))
            return
        if site.event.context == "conversion":
            yield site.hit(f"an f-string makes text of the tensor `{site.text()}`{site.origin(site.event.value)}", site.node)
            return
        yield site.hit(f"`{site.text()}` makes text of a tensor{site.origin(site.event.args[0])}")
