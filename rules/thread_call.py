"""Threads, locks and queues."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Example, Hit, Rule
from flake8_torchtrace.source.site import Site


class ThreadCall(Rule):
    code = "TTR210"
    name = "thread-call"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export"
    instead = "keep threads and locks around the model"
    why = "Locks and threads are C code and an effect on the program, which a graph cannot hold."
    fine = "Outside of traced code, and in __init__."
    calls = (
        "threading.Lock.acquire", "threading.Lock.release", "threading.RLock.acquire", "threading.RLock.release", "threading.Lock",
        "threading.RLock", "threading.Event", "threading.Semaphore", "threading.local", "threading.Thread",
        "threading.Thread.start", "threading.Thread.join", "queue.Queue", "queue.Queue.put", "queue.Queue.get", "multiprocessing.*",
        "concurrent.futures.*", "asyncio.run", "threading.get_ident", "threading.current_thread",
    )  # fmt: skip
    bad = (
        Example(
            """
lock = threading.Lock()


class Net(nn.Module):
    def forward(self, x):
        lock.acquire()
        y = x + 1
        lock.release()
        return y
""",
            imports="import threading",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x + 1
"""
        ),
    )

    def check(self, site: Site) -> Iterator[Hit]:
        yield site.hit(f"`{site.text()}` is a matter of threads")
