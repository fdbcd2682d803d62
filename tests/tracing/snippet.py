"""What a snippet is: a small module with what torch 2.13.0 does to it, measured, in comments.

A comment ``# targets: family`` says that a tracer for those targets breaks at this line, exactly once, with a reason of
that family; several such are separated by ``;``. ``*`` stands for all four targets. If the break happens in another
file (``library.py``, not watched), the comment stands where that is called.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, field

TARGETS = ("compile", "fullgraph", "export-strict", "export-nonstrict")

_HEAD = """\
import threading
import torch
from torch import nn
"""

_TAIL = """\

def make():
    return Net(), (torch.ones(3),), {}
"""


@dataclass(frozen=True)
class Snippet:
    """Source of a module with its expectations; ``library`` is a second file it imports as ``library``."""

    name: str
    body: str
    targets: tuple[str, ...] = TARGETS
    library: str = ""
    no_grad: bool = False
    source: str = field(init=False)

    def __post_init__(self) -> None:
        tail = "" if "def make()" in self.body else _TAIL
        object.__setattr__(self, "source", _HEAD + textwrap.dedent(self.body) + tail)

    def line(self, text: str) -> int:
        """The 1-based number of the only line that contains ``text``."""
        (found,) = [number for number, line in enumerate(self.source.splitlines(), 1) if text in line]
        return found
