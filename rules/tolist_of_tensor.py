"""``.tolist()`` of a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Value, tensor_of


class TolistOfTensor(Rule):
    code = "TTR107"
    name = "tolist-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export takes integers only, as unbacked numbers"
    instead = "keep the tensor"
    why = "Python numbers must be there before Python goes on, and the numbers in a tensor exist only when the graph has run."
    fine = "Outside of traced code."
    methods = ("tolist",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x, n):
        return torch.cat(torch.split(x, n.tolist()))
""",
            inputs="torch.randn(3, 4), torch.tensor([1, 2])",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x.sigmoid()
        return y, y.tolist()
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + 1, list(x.shape)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        what = f"`{site.text()}` takes Python numbers out of a tensor{site.origin(site.event.value)}"
        if site.event.decides:
            yield site.hit(
                f"{what} and they decide control flow",
                targets=ALL_TARGETS,
                effect="breaks the graph in compile, refused by fullgraph and export",
            )
        elif _is_float(site.event.value):
            yield site.hit(
                f"{what} of floats",
                targets=frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT}),
                effect="breaks the graph in compile, refused by fullgraph and strict export",
            )
        else:
            yield site.hit(what)


def _is_float(value: Value | None) -> bool:
    tensor = None if value is None else tensor_of(value)
    return tensor is not None and tensor.dtype == "float"
