"""A session whose server has a stand-in for torch: it starts at once, and the server is tested, not the tracers."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from judging import finding

from flake8_torchtrace.model import Finding, Target
from flake8_torchtrace.verify import Session, Verification, VerifySettings, launch, render

PACKAGE = Path(launch.PACKAGE)

TRACING = """
import os, sys, types

def prewarm():
    with open({starts!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")
    torch = types.ModuleType("torch")
    torch.__version__, torch.__file__ = "9.8.7+local", "/nowhere/torch/__init__.py"
    torch.manual_seed = lambda seed: None
    sys.modules["torch"] = torch

def spare_measuring():
    pass

def reset():
    pass

def self_check():
    return {drift!r}

def run_eager(module, args, kwargs, is_watched):
    lines = []
    def trace(frame, event, argument):
        if event == "line" and is_watched(frame.f_code.co_filename):
            lines.append(frame.f_lineno)
            paths.add(frame.f_code.co_filename)
        return trace
    paths, problem = set(), None
    sys.settrace(trace)
    try:
        module(*args, **kwargs)
    except BaseException as error:
        problem = f"{{type(error).__name__}}: {{error}}"
    sys.settrace(None)
    return {{"ok": problem is None, "error": problem, "executed": {{path: lines for path in paths}}, "points": {{}}}}

def run_target(target, module, args, kwargs, is_watched):
    os.environ["TARGET"] = target
    eager = run_eager(module, args, kwargs, is_watched)
    del os.environ["TARGET"]
    return {{"status": "ok", "why": None, "graphs": 1, "frames": 1, "ops": 1, "observations": [],
            "traced": eager["executed"], "abandoned": {{}}, "points": {{}}}}
"""


@contextlib.contextmanager
def offline(directory: Path, drift: tuple[str, ...] = (), tracing: str = "", **settings: object) -> Iterator[Session]:
    """A session that needs no torch. ``tracing`` is code added to the stand-in; see ``starts`` for the servers."""
    package = directory / "package"
    for name in ("verify", "inputs"):
        shutil.copytree(PACKAGE / name, package / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("model.py", "folder.py"):
        shutil.copy(PACKAGE / name, package)
    (package / "tracing").mkdir()
    text = TRACING.format(starts=str(directory / "starts"), drift=list(drift)) + textwrap.dedent(tracing)
    (package / "tracing" / "__init__.py").write_text(text)
    chosen = {"targets": (Target.COMPILE, Target.FULLGRAPH), "timeout": 10.0, **settings}
    with mock.patch.object(launch, "PACKAGE", str(package)), mock.patch.dict(os.environ):
        session = Session(VerifySettings(**chosen))  # type: ignore[arg-type]
        try:
            yield session
        finally:
            session.close()


def verify(session: Session, path: Path, source: str | None = None) -> Verification:
    """Write ``source`` (if any) to ``path`` and verify a finding on each of its lines that says ``# here``."""
    if source is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source))
    text = path.read_text()
    return session.verify(str(path), text, _marked(text))


def _marked(text: str) -> list[Finding]:
    lines = enumerate(text.splitlines(), 1)
    return [finding(text, number, line.split()[0]) for number, line in lines if line.endswith("# here")]


def shown(verification: Verification) -> list[str]:
    """The verdicts as a person reads them."""
    return [render(verdict) for _, verdict in verification.verdicts]


def starts(directory: Path) -> list[int]:
    """The process ids of the servers that were started."""
    file = directory / "starts"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def eventually(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether ``condition`` comes true before we lose patience."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    if sys.platform != "linux":
        return True
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in ("Z", "X")
