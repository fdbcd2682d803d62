"""Questions about devices and threads."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class DeviceQuestion(Rule):
    code = "TTR208"
    name = "device-question"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "ask once in __init__ and keep the answer"
    why = (
        "The call returns a number that is not a constant of the graph and not a tensor either, and dynamo has no rule for such an "
        "answer."
    )
    fine = "In __init__ and outside of traced code. torch.cuda.is_available() is traced and is not reported."
    calls = (
        "torch.get_num_threads", "torch.set_num_threads", "torch.get_num_interop_threads", "torch.cuda.device_count",
        "torch.cuda.memory_allocated", "torch.cuda.max_memory_allocated", "torch.cuda.memory_reserved",
        "torch.cuda.max_memory_reserved", "torch.cuda.is_bf16_supported", "torch.cuda.current_stream", "torch.backends.mps.is_available",
        "torch.backends.cudnn.is_available", "torch.is_anomaly_enabled",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * (torch.cuda.device_count() + 1)
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * torch.get_num_threads()
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x * (2 if torch.cuda.is_available() else 1)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks about the machine")
