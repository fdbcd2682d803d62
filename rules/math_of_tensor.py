"""Functions of ``math`` on a tensor."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_tensor
from flake8_torchtrace.source.site import Site

_NAMES = (
    "sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "tanh", "sinh", "cosh", "asin", "acos", "atan", "atan2",
    "floor", "ceil", "trunc", "fabs", "pow", "isnan", "isinf", "isfinite", "isclose", "hypot", "copysign", "fmod", "degrees", "radians",
)  # fmt: skip


class MathOfTensor(Rule):
    code = "TTR106"
    name = "math-of-tensor"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "use the function of torch"
    why = "The math module computes with Python floats, so the number must leave the tensor first."
    fine = "On sizes and other Python numbers: those are not reported."
    calls = tuple(f"math.{name}" for name in _NAMES)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * math.exp(x.max())
""",
            imports="import math",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * math.sqrt(x.shape[-1])
""",
            imports="import math",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        return next((found for value in event.args if (found := of_tensor(value)) is not None), None)

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` computes with a Python float taken out of a tensor")
