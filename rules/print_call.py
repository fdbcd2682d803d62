"""``print`` and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import COMPILE_TARGETS, Family
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class PrintCall(Rule):
    code = "TTR201"
    name = "print"
    lost_at_export = "TTR501"
    family = Family.NO_HANDLER
    targets = COMPILE_TARGETS
    effect = "breaks the graph in compile, refused by fullgraph; export drops it"
    instead = "remove it or guard it with `if not torch.compiler.is_compiling():`"
    why = (
        "Dynamo knows print and has no rule for tracing it: output is an effect, and a graph holds none. compile splits the graph so "
        "that Python can print; export accepts the module and the exported program prints nothing."
    )
    fine = "Under `if not torch.compiler.is_compiling():`, and `self.print(...)` of your own."
    calls = ("builtins.print", "pprint.pprint", "pprint.pp", "rich.print", "sys.stdout.write", "sys.stderr.write", "sys.stdout.flush")
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        print("shape", tuple(x.shape))
        return x + 1
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        if not torch.compiler.is_compiling():
            print("shape", tuple(x.shape))
        return x + 1
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` writes output")
