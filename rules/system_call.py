"""Calls into the operating system or the clock."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.model import Confidence, Family, Target
from flake8_torchtrace.source.rule import Event, Example, Hit, Rule
from flake8_torchtrace.source.site import Site
from flake8_torchtrace.source.values import Ref

_OS = (
    "getpid", "getppid", "getcwd", "getuid", "listdir", "scandir", "walk", "stat", "urandom", "cpu_count", "getloadavg", "system",
    "popen", "remove", "unlink", "rename", "replace", "mkdir", "makedirs", "rmdir", "chdir", "kill", "times", "uname",
    "path.exists", "path.isfile", "path.isdir", "path.getsize", "path.getmtime",
)  # fmt: skip
_TIME = (
    "time", "time_ns", "perf_counter", "perf_counter_ns", "monotonic", "monotonic_ns", "process_time", "thread_time", "sleep", "localtime",
    "gmtime", "strftime", "ctime",
)  # fmt: skip


class SystemCall(Rule):
    code = "TTR202"
    name = "system-call"
    family = Family.NO_HANDLER
    targets = frozenset({Target.COMPILE, Target.FULLGRAPH, Target.EXPORT_STRICT})
    effect = "breaks the graph in compile, refused by fullgraph and strict export; non-strict export bakes its value"
    instead = "call it outside of forward and pass the value in"
    why = (
        "The call is C code that dynamo cannot look into, and its result changes from call to call, so it cannot be a constant of the "
        "graph either. Non-strict export runs it once, while tracing, and keeps that value for ever."
    )
    fine = "Around the model rather than inside it: timing belongs into the caller."
    calls = (
        *(f"os.{name}" for name in _OS),
        *(f"time.{name}" for name in _TIME),
        "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today",
        "uuid.uuid1", "uuid.uuid4", "subprocess.run", "subprocess.check_output", "subprocess.call", "subprocess.Popen",
        "socket.gethostname", "gc.collect", "resource.getrusage", "shutil.rmtree", "shutil.copy", "tempfile.mkdtemp",
        "tempfile.mkstemp", "tempfile.gettempdir", "threading.get_ident", "threading.current_thread",
    )  # fmt: skip
    sees = ("item",)
    bad = (
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        return x.sin() * os.getpid()
""",
            imports="import os",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        start = time.time()
        y = x.sin()
        return y, time.time() - start
""",
            imports="import time",
        ),
        Example(
            """
class Net(nn.Module):
    def forward(self, x):
        os.environ["SEEN"] = "1"
        return x * 2
""",
            imports="import os",
        ),
    )
    good = (
        Example(
            """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pid = os.getpid()

    def forward(self, x):
        return x.sin() * self.pid
""",
            imports="import os",
        ),
    )

    def confidence(self, event: Event) -> Confidence | None:
        is_setting = event.kind == "call" or event.value == Ref("os.environ")
        return Confidence.LIKELY if is_setting else None

    def check(self, site: Site) -> Iterator[Hit]:
        if site.event.kind == "item":
            yield site.hit(f"`{site.text()} = ...` changes the environment", site.node)
        else:
            yield site.hit(f"`{site.text()}` asks the operating system or the clock")
