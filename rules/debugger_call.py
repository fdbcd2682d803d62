"""A debugger in traced code."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class DebuggerCall(Rule):
    code = "TTR207"
    name = "debugger"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export, and stops the program"
    instead = "remove it, or guard it with `if not torch.compiler.is_compiling():`"
    why = (
        "A debugger stops Python between two lines, and there is no Python between the lines of a graph. In compile and in non-strict "
        "export it stops in the middle of the tracer."
    )
    fine = "Under `if not torch.compiler.is_compiling():`, or in a program that is not compiled."
    calls = ("builtins.breakpoint", "pdb.*", "ipdb.*", "pudb.*", "debugpy.*")
    bad = (
        Example(
            """
class Quiet:
    def breakpointhook(self):
        pass


sys.breakpointhook = Quiet().breakpointhook


class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        breakpoint()
        return y * 2
""",
            imports="import sys",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        y = x + 1
        return y * 2
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` starts a debugger")
