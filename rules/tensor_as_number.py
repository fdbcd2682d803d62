"""A tensor where torch takes a Python number: a fill value, a probability, an epsilon."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Target
from flake8_torchtrace.source.arguments import Key, arguments, ast_argument, is_proven
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule, of_receiver
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Value, tensor_of

# Measured on torch 2.13.0: these are written in Python and calculate with what they are given.
_CALCULATE = {"full", "gumbel_softmax", "range", "arange", "normalize", "constant_"}
_NAMES = tuple(name for name in load().scalar_argument_names() if name.rpartition(".")[2] not in _CALCULATE)
# And these do nothing with the number while they are traced.
_UNREAD = {
    "new_full", "full_like", "renorm", "scatter", "celu", "elu", "leaky_relu", "softplus", "threshold", "scalar_tensor", "histc",
    "constant_pad_nd",
}  # fmt: skip
_ONLY_COMPILE = {"add", "addcmul"}


class TensorAsNumber(Rule):
    code = "TTR124"
    name = "tensor-as-number"
    family = Family.VALUE
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "calculate with the tensor instead (multiply, torch.where, torch.full), or pass a Python number"
    why = (
        "The argument is declared to be a number, so torch reads it out of the tensor, as `.item()` does. Most functions then look at it, "
        "to see whether it is 0 or in range, and that is a decision on a number that is not there yet."
    )
    fine = "Where the argument may be a tensor as well (`torch.clamp`, `torch.lerp`, `masked_fill`, `torch.full`): those are not reported."
    calls = tuple(name for name in _NAMES if not name.startswith("torch.Tensor."))
    methods = tuple(name.removeprefix("torch.Tensor.") for name in _NAMES if name.startswith("torch.Tensor."))
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return F.dropout(x, x.mean())
""",
            inputs="torch.rand(2, 4)",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.new_full((2, 2), x.mean())
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return torch.add(x, x, alpha=x.mean())
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return F.pad(x, (1, 1), value=x.mean())
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.clamp(max=x.mean())
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x, p: float):
        return F.dropout(x, p) + x.new_full((2, 4), p)
""",
            inputs="torch.randn(2, 4), 0.5",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        found = next(_numbers(event), None)
        if found is None or (event.kind == "method" and of_receiver(event.value) is None):
            return None
        is_known = event.kind != "method" or of_receiver(event.value) is Confidence.LIKELY
        return Confidence.LIKELY if is_known and is_proven(tensor_of(found[1])) else Confidence.POSSIBLE

    def check(self, site: Site) -> Iterator[Hit]:
        key, value = next(_numbers(site.event))
        node = ast_argument(site.event, key)
        text = f"`{site.text(node)}`" if node is not None else "an argument"
        targets, effect = _consequence(site.event.name.rpartition(".")[2])
        yield site.hit(f"{text} is a tensor where `{site.event.name}` takes a number{site.origin(value)}", node, targets, effect)


def _consequence(name: str) -> tuple[frozenset[Target] | None, str | None]:
    if name in _ONLY_COMPILE:
        return frozenset({Target.COMPILE}), "breaks the graph in compile"
    if name.rstrip("_") in _UNREAD:
        return ALL_TARGETS - {Target.EXPORT_NONSTRICT}, "breaks the graph in compile, refused by fullgraph and strict export"
    return None, None


def _numbers(event: Event) -> Iterator[tuple[Key, Value]]:
    """The arguments that are declared to be numbers and hold a tensor."""
    facts = load().scalar_arguments(f"torch.Tensor.{event.name}" if event.kind == "method" else event.name)
    for key, value in arguments(event) if facts is not None else ():
        if facts is not None and facts.has(key) and tensor_of(value) is not None:
            yield key, value
