"""Calls whose output shape is data: ``nonzero`` and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, data_dependence, of_receiver
from flake8_torchtrace.source.site import Site

# Which functions these are is torch's own word (flake8_torchtrace/source/torch_knowledge.json); values read out have other rules.
_NAMES = tuple(name for name in load().data_dependent_names() if not name.endswith(".one_hot"))


class DynamicShapeCall(Rule):
    code = "TTR401"
    name = "dynamic-shape-call"
    family = Family.DYNAMIC_SHAPE
    targets = frozenset({Target.COMPILE})
    effect = "breaks the graph in compile; export gives the result an unbacked size"
    instead = "use a form with a static shape (torch.where with three arguments, a mask, nonzero_static)"
    why = (
        "How many elements come out depends on the numbers in the tensor. By default compile does not trace such operators; with "
        "fullgraph=True and in export the size becomes an unbacked symbol, and a later decision on that size is refused."
    )
    fine = "With torch._dynamo.config.capture_dynamic_output_shape_ops, and for export as long as nothing depends on the size."
    calls = tuple(name for name in _NAMES if not name.startswith("torch.Tensor."))
    methods = tuple(name.removeprefix("torch.Tensor.") for name in _NAMES if name.startswith("torch.Tensor."))
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.nonzero(x > 0)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.masked_select(x > 0)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, n):
        return torch.repeat_interleave(x, n.long(), dim=0)
""",
            inputs="torch.randn(2, 4), torch.tensor([1, 2])",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x, 0.0)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.repeat_interleave(x, 2, dim=0)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        if data_dependence(event) != "shape":
            return None
        return of_receiver(event.value) if event.kind == "method" else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"the shape of `{site.text()}` depends on the data")
