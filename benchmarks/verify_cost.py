"""What verification costs against the same work by hand, as a ratio of CPU time from one run.

    python benchmarks/verify_cost.py [FILE ...]

Each file has a ``make()`` (default: the cases in ``fixtures/cases``). By hand is one warm process that builds each module
three times and runs ``torch.compile(backend="eager")`` and the two exports over it, one after the other, with
``torch._dynamo.reset()`` between them. Verification is the server with all four targets: a fork for the eager call and for
each target, observation, and matching of the findings. Both start with torch imported and warmed up; importing it is shown
apart. Threads: one. Memory is what the server and its children held at most (``Pss`` summed over them, every 20 ms; Linux).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

BY_HAND = """
import contextlib, importlib.util, io, json, os, sys, time
start = time.process_time()
import torch, torch._dynamo, torch.export
from flake8_torchtrace.tracing import prewarm
prewarm()
imported = time.process_time() - start
taken = {}
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location("case", path)
    module = importlib.util.module_from_spec(spec)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        spec.loader.exec_module(module)
        for run in (lambda net, args, kwargs: torch.compile(net, backend="eager")(*args, **kwargs),
                    lambda net, args, kwargs: torch.export.export(net, args, kwargs, strict=True),
                    lambda net, args, kwargs: torch.export.export(net, args, kwargs, strict=False)):
            torch._dynamo.reset()
            with contextlib.suppress(Exception):
                net, args, *rest = module.make()
                run(net, args, rest[0] if rest else {})
    taken[path] = time.process_time() - began
json.dump({"import": imported, "taken": taken}, sys.__stdout__)
"""


def by_hand(files: Sequence[str]) -> dict[str, Any]:
    """CPU seconds for importing torch and for each file."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run([sys.executable, "-c", BY_HAND, *files], capture_output=True, text=True, env=environment, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def verified(files: Sequence[str], jobs: int) -> dict[str, Any]:
    """The same by verification: CPU of the server and its children, wall seconds, and the most memory held."""
    from flake8_torchtrace.verify import Session, VerifySettings

    with tempfile.TemporaryDirectory() as folder:
        warm = Path(folder) / "warm.py"
        warm.write_text("import torch\n\n\ndef make():\n    return torch.nn.ReLU(), (torch.ones(2),)\n")
        with contextlib.closing(Session(VerifySettings(timeout=120.0, jobs=jobs))) as session:
            start_session(session, str(warm))
            server = server_of(session.directory)
            before = cpu_of(server)
            peak = Peak(server)
            began = time.monotonic()
            taken = {}
            for file in files:
                at = cpu_of(server) + time.process_time()
                verify_file(session, file)
                taken[file] = cpu_of(server) + time.process_time() - at
            wall = time.monotonic() - began
            return {"import": before, "taken": taken, "wall": wall, "peak": peak.stop()}


def start_session(session: Any, path: str) -> None:
    """Have the server import torch and do everything once."""
    session.verify(path, Path(path).read_text(), [])


def verify_file(session: Any, file: str) -> None:
    """Lint and verify one file, as the plugin does."""
    import ast

    from flake8_torchtrace.source.claims import LintSettings
    from flake8_torchtrace.source.engine import find
    from flake8_torchtrace.source.project import NO_PROJECT

    source = Path(file).read_text()
    settings = LintSettings(possible=True, keeps_all=True)
    findings = find(file, ast.parse(source), source.splitlines(keepends=True), settings, NO_PROJECT)
    session.verify(file, source, findings)


def server_of(directory: str) -> int:
    """The process id of the session's server: the one that was started with its directory."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if entry.name.isdigit() and directory.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                return int(entry.name)
    raise SystemExit("the verification server is not running")


def cpu_of(pid: int) -> float:
    """CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


class Peak:
    """The most memory, in MiB, that a process and its children held."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """End watching and give the peak."""
        self._over.set()
        self._thread.join()
        return self._most / 1024

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            with contextlib.suppress(OSError, ValueError):
                children = Path(f"/proc/{self._pid}/task/{self._pid}/children").read_text().split()
                self._most = max(self._most, sum(map(_pss, [self._pid, *map(int, children)])))


def _pss(pid: int) -> int:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    return 0


def main() -> None:
    """Run both and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", help="files with a make()")
    parser.add_argument("--jobs", type=int, default=2, help="children at once (default: 2)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, taken in turn (default: 3)")
    options = parser.parse_args()
    files = options.files or sorted(str(path) for path in (ROOT / "fixtures" / "cases").glob("*.py"))
    measures: list[tuple[Callable[..., dict[str, Any]], list[dict[str, Any]]]] = [(by_hand, []), (lambda f: verified(f, options.jobs), [])]
    for _ in range(options.rounds):
        for measure, results in measures:
            results.append(measure(files))
    hand, mine = measures[0][1], measures[1][1]
    ratios = [sum(ours["taken"].values()) / sum(theirs["taken"].values()) for ours, theirs in zip(mine, hand, strict=True)]
    each = [statistics.median(ours["taken"][file] / theirs["taken"][file] for ours, theirs in zip(mine, hand, strict=True)) for file in files]
    print(f"{len(files)} modules, {options.rounds} rounds")
    print(f"import of torch with warm-up: {hand[0]['import']:.2f} s by hand, {mine[0]['import']:.2f} s in the server, once a run")
    for name, results in (("by hand", hand), ("verified", mine)):
        print(f"{name:9s} {statistics.median(sum(item['taken'].values()) for item in results) / len(files):.3f} s of CPU a module")
    print(f"ratio over all modules {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}]; "
          f"of single modules: median {statistics.median(each):.2f}, highest {max(each):.2f}")
    print(f"server and children: at most {max(item['peak'] for item in mine):.0f} MiB; {mine[0]['wall']:.1f} s for all modules")


if __name__ == "__main__":
    main()
