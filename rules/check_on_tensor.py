"""Torch's own checks of a whole tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class CheckOnTensor(Rule):
    code = "TTR125"
    name = "check-on-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile"
    instead = "check before the traced code, or with torch._assert_async"
    why = "The check reads one bool out of the tensor, as `.item()` does, and by default compile ends the graph there."
    fine = "With fullgraph=True and in export, which keep the check, or with torch._dynamo.config.capture_scalar_outputs."
    calls = ("torch._check_tensor_all", "torch._check_tensor_all_with")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        torch._check_tensor_all(x > -100)
        return x + 1
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        torch._check(x.shape[0] > 0)
        return x + 1
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` reads the outcome out of the tensor")
