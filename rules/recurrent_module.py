"""Calling an ``nn.LSTM``, ``nn.GRU`` or ``nn.RNN``."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import COMPILE_TARGETS, Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class RecurrentModule(Rule):
    code = "TTR601"
    name = "recurrent-module"
    family = Family.INTERNAL
    targets = COMPILE_TARGETS
    effect = "breaks the graph in compile, refused by fullgraph; export takes it"
    instead = "set torch._dynamo.config.allow_rnn if you need it inside the graph, or accept the break"
    why = "Dynamo does not put the recurrent modules into a graph unless torch._dynamo.config.allow_rnn is set."
    fine = "With allow_rnn, and for export."
    calls = tuple(f"torch.nn.{name}.__call__" for name in ("LSTM", "GRU", "RNN"))
    bad = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 4)

    def forward(self, x):
        return self.rnn(x)[0]
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(4, 4)

    def forward(self, x):
        return self.cell(x)[0]
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` calls a recurrent module of torch")
