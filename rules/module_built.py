"""A module with parameters built in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import FALSE

_NAMES = (
    "Linear", "Bilinear", "LazyLinear", "Embedding", "EmbeddingBag", "LayerNorm", "RMSNorm", "GroupNorm", "PReLU", "MultiheadAttention",
    "LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer",
    *(f"{kind}{n}d" for kind in ("Conv", "ConvTranspose", "BatchNorm", "LazyConv", "LazyBatchNorm") for n in (1, 2, 3)), "SyncBatchNorm",
)  # fmt: skip
_SWITCHES = ("affine", "elementwise_affine")


class ModuleBuilt(Rule):
    code = "TTR609"
    name = "module-built"
    family = Family.CONSTRUCTION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "build it in __init__"
    why = (
        "The parameters of the new module would be new leaves of autograd at every call, with new random values, and a graph cannot "
        "hold that. Modules without parameters (activations, dropout, losses) are traced."
    )
    fine = "In __init__."
    calls = tuple(f"torch.nn.{name}" for name in _NAMES)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        layer = nn.Linear(4, 4)
        return layer(x)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        return self.fc(x)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return nn.LayerNorm(4, elementwise_affine=False)(x)
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        is_plain = any(event.keywords.get(switch) == FALSE for switch in _SWITCHES)
        return None if is_plain else Confidence.LIKELY

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` builds a module with parameters in traced code")
