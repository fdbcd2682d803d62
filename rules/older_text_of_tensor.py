"""A tensor in an f-string, which newer torch leaves unmade."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class OlderTextOfTensor(Rule):
    code = "TTR120"
    name = "older-text-of-tensor"
    family = Family.VALUE
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "keep text to shapes and dtypes, or use a newer torch"
    why = (
        "Older versions of dynamo make the text at once, and the numbers exist only when the graph has run. Newer ones put it off until "
        "something asks for the text."
    )
    fine = "On torch 2.13, as long as nothing is decided or computed by the text."
    sees = ("format",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        text = f"mean {x.mean()}"
        return x * 2
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        text = f"shape {x.shape}"
        return x * 2
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.value)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"an f-string shows the tensor `{site.text()}`{site.origin(site.event.value)}", site.node)
