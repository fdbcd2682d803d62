"""Whether the cost of an audit grows as the work does: CPU for 1,000 files linted and for 100 modules verified.

    python benchmarks/scale.py --lint DIR --verify DIR

Both are audited whole and by every second file, each with one process and with two, from nothing (no index, no store). CPU is that of
all processes, the verification server and its children too, which come to this process when their parents end (Linux). Time by the
clock says how much two processes help, on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Cost:
    """Of one audit. ``units``: files linted, or modules verified."""

    units: int
    cpu: float
    wall: float

    def row(self, per: int) -> str:
        """Cells of a table."""
        return f"{self.units} | {self.cpu:.1f} s | {per * self.cpu / max(self.units, 1):.1f} s | {self.wall:.1f} s"


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--lint", metavar="DIR", type=Path, help="what to lint, with calls followed through all of it")
    parser.add_argument("--verify", metavar="DIR", type=Path, help="files with inputs, to lint and verify")
    chosen = parser.parse_args()
    be_parent_of_all()
    print("| what | part | processes | number | CPU | for 1,000 files or 100 modules | clock |\n|-|-|-|-|-|-|-|")
    for what, tree, per in (("lint", chosen.lint, 1000), ("verify", chosen.verify, 100)):
        if tree is not None:
            for step in (2, 1):
                for jobs in (1, 2):
                    cost = measured(tree, step, jobs, what == "verify")
                    print(f"| {what} | {'whole' if step == 1 else 'half'} | {jobs} | {cost.row(per)} |", flush=True)


def measured(tree: Path, step: int, jobs: int, verifies: bool) -> Cost:
    """One audit of every ``step``-th file of ``tree``, in a copy."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / tree.resolve().name
        copied = copy_part(tree, copy, step)
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "flake8_torchtrace", "audit", str(copy), "--isolated", "--quiet", "-j", str(jobs)]
        command += [*(["--verify"] if verifies else []), "--format", "json", "--output", str(report)]
        before, began = spent(), time.monotonic()
        subprocess.run(command, cwd=folder, check=False, stderr=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "1"})
        wall = time.monotonic() - began
        wait_for_all()
        document = json.loads(report.read_text(encoding="utf-8"))
        verified = sum(bool(module["targets"]) for module in document["modules"])
        return Cost(verified if verifies else copied, spent() - before, wall)


def copy_part(tree: Path, to: Path, step: int) -> int:
    """Copy every ``step``-th Python file; how many that were."""
    files = sorted(tree.rglob("*.py"))[::step]
    for file in files:
        target = to / file.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    return len(files)


def be_parent_of_all() -> None:
    """Children whose parent ends become children of this process."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def spent() -> float:
    """CPU seconds of all children that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def wait_for_all() -> None:
    """Until no child is left, nor one of theirs."""
    while True:
        try:
            os.wait()
        except ChildProcessError:
            return


if __name__ == "__main__":
    main()
