"""What verification costs against the same work by hand, as a ratio of CPU time from one run.

    python benchmarks/verify_cost.py [FILE ...]

Each file has a ``make()`` (default: the cases in ``fixtures/cases``). By hand is one warm process that builds each module
three times and runs ``torch.compile(backend="eager")`` and the two exports over it, one after the other, with
``torch._dynamo.reset()`` between them. Verification is the server with all four targets: fork, the eager call, the targets,
what is behind each refusal, observation, and matching of the findings. Both start with torch imported and warmed up; importing
it is shown apart. They take turns file by file, so that whatever else the machine does weighs on both alike. Threads: one.
Memory is what the server and its children held at most (``Pss`` summed over them, every 20 ms; Linux).
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
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

BY_HAND = """
import contextlib, importlib, io, json, os, sys, time
start = time.process_time()
import torch, torch._dynamo, torch.export
from flake8_torchtrace.tracing import prewarm
prewarm()
imported = time.process_time() - start
print(json.dumps(imported), flush=True)
for line in sys.stdin:
    path = json.loads(line)
    folder, name = os.path.split(path)
    sys.path.append(folder)
    began = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        module = importlib.import_module(os.path.splitext(name)[0])
        for run in (lambda net, args, kwargs: torch.compile(net, backend="eager")(*args, **kwargs),
                    lambda net, args, kwargs: torch.export.export(net, args, kwargs, strict=True),
                    lambda net, args, kwargs: torch.export.export(net, args, kwargs, strict=False)):
            torch._dynamo.reset()
            with contextlib.suppress(Exception):
                net, args, *rest = module.make()
                run(net, args, rest[0] if rest else {})
    print(json.dumps(time.process_time() - began), flush=True)
"""


class ByHand:
    """The process that does it by hand; ``imported``: CPU seconds that importing torch took it."""

    def __init__(self) -> None:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
        command = [sys.executable, "-c", BY_HAND]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
        )
        self.imported = self._answer()

    def take(self, file: str) -> float:
        """CPU seconds for one file."""
        assert self._process.stdin is not None
        print(json.dumps(file), file=self._process.stdin, flush=True)
        return self._answer()

    def close(self) -> None:
        """End the process."""
        self._process.communicate()

    def _answer(self) -> float:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            with contextlib.suppress(ValueError):  # what a module wrote to the descriptor itself
                return float(line)
        raise SystemExit("the process that does it by hand has ended")


def measured(files: Sequence[str], jobs: int, replay: bool) -> dict[str, Any]:
    """One round: CPU seconds for importing torch and for each file, both ways; wall seconds and the most memory of verification."""
    from flake8_torchtrace.verify import Session, VerifySettings

    with tempfile.TemporaryDirectory() as folder, contextlib.closing(ByHand()) as hand:
        warm = Path(folder) / "warm.py"
        warm.write_text("import torch\n\n\ndef make():\n    return torch.nn.ReLU(), (torch.ones(2),)\n")
        with contextlib.closing(Session(VerifySettings(timeout=120.0, jobs=jobs, replay=replay))) as session:
            verify_file(session, str(warm))
            server = server_of(session.directory)
            imported = settled(server)
            peak, wall, taken = Peak(server), 0.0, []
            for file in files:
                theirs = hand.take(file)
                at, began = settled(server) + time.process_time(), time.monotonic()
                verify_file(session, file)
                wall += time.monotonic() - began
                taken.append((theirs, settled(server) + time.process_time() - at))
            return {"imported": (hand.imported, imported), "taken": taken, "wall": wall, "peak": peak.stop()}


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


def settled(pid: int) -> float:
    """CPU seconds of a process and of its children, once all of those have ended."""
    while Path(f"/proc/{pid}/task/{pid}/children").read_text():
        time.sleep(0.01)
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
    parser.add_argument("--replay", action="store_true", help="with what the programs of accepted exports lose, which is not done by hand")
    parser.add_argument("--each", action="store_true", help="show every file")
    options = parser.parse_args()
    files = options.files or sorted(str(path) for path in (ROOT / "fixtures" / "cases").glob("*.py"))
    rounds = [measured(files, options.jobs, options.replay) for _ in range(options.rounds)]
    sums = [tuple(map(sum, zip(*found["taken"], strict=True))) for found in rounds]
    ratios = [ours / theirs for theirs, ours in sums]
    each = {file: statistics.median(found["taken"][at][1] / found["taken"][at][0] for found in rounds) for at, file in enumerate(files)}
    print(f"{len(files)} modules, {options.rounds} rounds")
    print("import of torch with warm-up: {:.2f} s by hand, {:.2f} s in the server, once a run".format(*rounds[0]["imported"]))
    for at, name in enumerate(("by hand", "verified")):
        print(f"{name:9s} {statistics.median(pair[at] for pair in sums) / len(files):.3f} s of CPU a module")
    print(f"ratio over all modules {statistics.median(ratios):.2f} [{min(ratios):.2f}-{max(ratios):.2f}]; "
          f"of single modules: median {statistics.median(each.values()):.2f}, highest {max(each.values()):.2f}")
    print(f"server and children: at most {max(found['peak'] for found in rounds):.0f} MiB; {rounds[0]['wall']:.1f} s for all modules")
    if options.each:
        for file, ratio in sorted(each.items(), key=lambda item: item[1]):
            at = files.index(file)
            print("{:5.2f}  {:.2f} s by hand, {:.2f} s verified  {}".format(ratio, *rounds[0]["taken"][at], os.path.basename(file)))


if __name__ == "__main__":
    main()
