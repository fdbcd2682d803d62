"""Calls into compiled code that is not torch."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ForeignCode(Rule):
    code = "TTR305"
    name = "foreign-code"
    family = Family.SKIPPED
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "compute it with torch, wrap it as a custom operator (torch.library.custom_op), or hoist it"
    why = (
        "The package computes in C on real numbers. Dynamo does not trace into it, and the fake tensors of export hold no numbers to "
        "give it."
    )
    fine = "In preparation of data, outside of traced code."
    calls = ("scipy.*", "sklearn.*", "cv2.*", "librosa.*", "PIL.*", "pandas.*", "skimage.*", "numba.*")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        rows, cols = optimize.linear_sum_assignment(x)
        return x[rows, cols]
""",
            imports="from scipy import optimize",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x[x.argmin(0), torch.arange(x.shape[1])]
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` calls compiled code outside of torch")
