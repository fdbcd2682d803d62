"""Questions about the running program."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class Introspection(Rule):
    code = "TTR615"
    name = "introspection"
    family = Family.INTROSPECTION
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "ask once, outside of traced code, and pass the answer in"
    why = (
        "The answer is about frames, namespaces and modules of the interpreter, and while dynamo traces it runs none of them: the code "
        "is followed, not executed."
    )
    fine = (
        "At import time and in __init__. inspect.signature, locals(), vars() and isinstance checks are traced by torch 2.13 and are not "
        "reported."
    )
    calls = (
        "builtins.globals", "builtins.dir", "builtins.exec", "builtins.compile", "builtins.__import__", "importlib.import_module",
        "inspect.stack", "inspect.currentframe", "inspect.getmembers", "inspect.getdoc", "inspect.getsource", "inspect.getouterframes",
        "sys._getframe", "sys.getrefcount", "sys.getsizeof", "traceback.format_stack", "traceback.extract_stack",
        "traceback.format_exc",
    )  # fmt: skip
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        caller = sys._getframe().f_code.co_name
        return x * len(caller)
""",
            imports="import sys",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        names = dir(self)
        return x * len(names)
"""
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        names = vars(self)
        return x * len(names)
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` asks about the running program")
