"""A tensor moved into shared memory."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class SharedMemory(Rule):
    code = "TTR212"
    name = "tensor-shared-between-processes"
    family = Family.NO_HANDLER
    effect = "breaks the graph in compile, refused by fullgraph and export"
    instead = "share the tensor before the model is traced"
    why = "The call moves the memory of a tensor to where other processes see it. The stand-ins of a traced program have no memory to move."
    fine = "Outside of traced code, for instance in `__init__` or on the inputs before the call."
    methods = ("share_memory_",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        y.share_memory_()
        return y * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4))

    def forward(self, x):
        self.total.share_memory_()
        return x + self.total
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.zeros(4).share_memory_())

    def forward(self, x):
        return x + self.total
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` moves a tensor into memory that processes share")
