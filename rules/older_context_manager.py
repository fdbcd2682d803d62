"""Context managers that only newer torch enters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Func, Ref, Value

_CLASSES = frozenset({"torch.inference_mode", "contextlib.suppress", "contextlib.ExitStack", "warnings.catch_warnings"})


class OlderContextManager(Rule):
    code = "TTR640"
    name = "older-context-manager"
    family = Family.CONTEXT
    targets = frozenset()
    legacy_targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "enter it around the call of the module, or use a newer torch"
    why = (
        "Older versions of dynamo enter only the context managers of torch that switch gradients or autocast, and give any other up "
        "with all that stands inside."
    )
    fine = "On torch 2.13, which traces it."
    sees = ("with",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with torch.inference_mode():
            y = x + 1
        return y * 2
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with contextlib.suppress(KeyError):
            y = x + 1
        return y * 2
""",
            imports="import contextlib",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with contextlib.ExitStack():
            y = x + 1
        return y * 2
""",
            imports="import contextlib",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with warnings.catch_warnings():
            y = x + 1
        return y * 2
""",
            imports="import warnings",
        ),
        Example(
            """
@contextlib.contextmanager
def scale():
    yield 2


class Net(nn.Module):
    def forward(self, x):
        with scale() as by:
            y = x * by
        return y
""",
            imports="import contextlib",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x + 1
        return y * 2
"""
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        node = event.node
        callee = event.frame.values.get(node.func) if isinstance(node, ast.Call) else None
        is_known = isinstance(callee, Ref) and callee.dotted in _CLASSES
        return Confidence.LIKELY if is_known or _is_generator_manager(callee) else None

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` is entered in traced code", site.node)


def _is_generator_manager(callee: Value | None) -> bool:
    """Whether this is a function of the file under ``@contextmanager``."""
    decorators = callee.info.decorators if isinstance(callee, Func) else []
    return any(ast.unparse(decorator).rpartition(".")[2] == "contextmanager" for decorator in decorators)
