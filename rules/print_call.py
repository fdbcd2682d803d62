"""``print`` and its kin."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import COMPILE_TARGETS, Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site

# Strict export knows print and leaves it out; it refuses these.
_REFUSED = ("pprint.pprint", "pprint.pp", "sys.stdout.write", "sys.stderr.write", "sys.stdout.flush")


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
    calls = ("builtins.print", "rich.print", *_REFUSED)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        print("shape", tuple(x.shape))
        return x + 1
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        pprint.pprint(tuple(x.shape))
        return x + 1
""",
            imports="import pprint",
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
        is_refused = site.event.name in _REFUSED
        targets = COMPILE_TARGETS | {Target.EXPORT_STRICT} if is_refused else None
        effect = "breaks the graph in compile, refused by fullgraph and strict export" if is_refused else None
        yield site.hit(f"`{site.text()}` writes output", None, targets, effect)
