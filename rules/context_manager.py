"""Context managers that dynamo cannot enter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Ref

_CLASSES = frozenset({
    "threading.Lock", "threading.RLock", "threading.Condition", "threading.Semaphore", "threading.BoundedSemaphore", "multiprocessing.Lock",
    "contextlib.redirect_stdout", "contextlib.redirect_stderr", "contextlib.closing", "tempfile.TemporaryDirectory",
    "torch.autograd.detect_anomaly", "torch.autograd.set_detect_anomaly", "torch.autograd.graph.saved_tensors_hooks",
    "torch.autograd.graph.save_on_cpu", "torch.random.fork_rng", "torch.device", "torch.backends.cudnn.flags",
    "torch.backends.cuda.sdp_kernel", "numpy.errstate", "numpy.printoptions",
})  # fmt: skip


class ContextManager(Rule):
    code = "TTR604"
    name = "context-manager"
    family = Family.CONTEXT
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; all that stands inside runs outside of the graph"
    instead = "enter it around the call of the module"
    why = (
        "Dynamo enters the context managers that it has a rule for (no_grad, autocast, nullcontext, and those written in Python that "
        "only do what it can trace). Any other it gives up, and with it the whole block."
    )
    fine = "Around the model rather than inside it."
    sees = ("with",)
    calls = ("contextlib.ExitStack.enter_context",)
    bad = (
        Example(
            """
lock = threading.Lock()


class Net(nn.Module):
    def forward(self, x):
        with lock:
            y = x + 1
        return y * 2
""",
            imports="import threading",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with torch.random.fork_rng():
            y = x + torch.rand(4)
        return y * 0
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with torch.device("cpu"):
            y = torch.zeros(4)
        return x + y
"""
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        with contextlib.ExitStack() as stack:
            stack.enter_context(torch.no_grad())
            y = x + 1
        return y * 2
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
        return Confidence.LIKELY if event.kind == "call" or _entered(event) in _CLASSES else None

    def check(self, site: Site) -> Iterator[Hit]:
        what = "enters a context manager that dynamo does not see" if site.event.kind == "call" else "is entered in traced code"
        yield site.hit(f"`{site.text()}` {what}", site.node)


def _entered(event: Event) -> str:
    """The dotted name of the context manager, or of the function that makes it."""
    node = event.node
    callee = event.frame.values.get(node.func) if isinstance(node, ast.Call) else None
    return callee.dotted if isinstance(callee, Ref) else event.name
