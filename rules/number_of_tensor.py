"""``int()``, ``float()`` and the functions of ``math`` on a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.arguments import ast_argument, counts_with_input
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site


class NumberOfTensor(Rule):
    code = "TTR105"
    name = "number-of-tensor"
    family = Family.VALUE
    targets = frozenset({Target.COMPILE, Target.EXPORT_NONSTRICT})
    effect = "breaks the graph in compile, refused by non-strict export"
    instead = "keep the tensor (`x.long()`, `x.float()`)"
    why = "A Python number must be there before Python goes on, and the number in a tensor exists only when the graph has run."
    fine = "On sizes and other Python numbers: those are not reported."
    calls = ("builtins.int", "builtins.float", "builtins.complex", "operator.index")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * float(x.max())
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        n = int(x.sum())
        if n > 0:
            return x * 2
        return x
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, n: torch.Tensor):
        return x * [1, 2, 3][int(n)]
""",
            inputs="torch.randn(2, 4), torch.tensor(2)",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * float(x.shape[0])
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return of_tensor(event.args[0]) if event.args else None

    def check(self, site: Site) -> Iterator[Hit]:
        what = f"`{site.text()}` forces a tensor into a Python number{site.origin(site.event.args[0])}"
        if site.event.decides:
            is_known = counts_with_input(site.event, ast_argument(site.event, 0))
            targets = ALL_TARGETS - {Target.FULLGRAPH} if is_known else ALL_TARGETS
            yield site.hit(f"{what} that decides control flow", targets=targets, effect=effect_of(targets))
        else:
            yield site.hit(what)
