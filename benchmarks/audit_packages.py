"""What a verified audit of installed packages costs and says: time, memory, and the verdicts by finding and target.

    python benchmarks/audit_packages.py vit_pytorch x_transformers torch_geometric/nn

Each is a package, or a folder or a file of one, as it is installed here; ``--again`` audits it a second time with what the first run
kept. Nothing else is given: what is verified is verified with inputs that are made. Memory is the largest sum, looked at every half
second, of what all processes of the audit hold, a shared page divided among those that share it (Linux).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from scale import be_parent_of_all, spent, wait_for_all

_PAUSE = 0.5


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("packages", nargs="+", metavar="PACKAGE[/PART]")
    parser.add_argument("--again", action="store_true", help="audit a second time too")
    chosen = parser.parse_args()
    be_parent_of_all()
    print("| what | files | findings | confirmed | dismissed | not reached | unverified | clock | CPU | memory |\n|" + "-|" * 10)
    for package in chosen.packages:
        with tempfile.TemporaryDirectory() as folder:
            for what in (package, *([f"{package}, again"] if chosen.again else [])):
                print(f"| {what} | {_audited(_place(package), folder)} |", flush=True)


def _place(package: str) -> Path:
    name, _, part = package.partition("/")
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        sys.exit(f"{name} is not installed")
    return Path(spec.origin).parent / part


def _audited(place: Path, folder: str) -> str:
    """Cells of a table."""
    report = Path(folder, "report.json")
    command = [sys.executable, "-m", "flake8_torchtrace", "audit", str(place), "--isolated", "--quiet", "--verify", "--keep-dismissed"]
    before, began = spent(), time.monotonic()
    running = subprocess.Popen(
        [*command, "--format", "json", "--output", str(report)], cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    most = 0
    while running.poll() is None:
        most = max(most, sum(map(_held, _tree(os.getpid()))))
        time.sleep(_PAUSE)
    wall = time.monotonic() - began
    if running.returncode not in (0, 1):
        sys.exit(f"the audit ended with status {running.returncode}")
    wait_for_all()
    document = json.loads(report.read_text(encoding="utf-8"))
    verdicts = Counter(_verdict(finding) for finding in document["findings"])
    shares = " | ".join(str(verdicts[name]) for name in ("confirmed", "dismissed", "not-reached", "unverified"))
    files, findings = len(document["checked"]), len(document["findings"])
    return f"{files} | {findings} | {shares} | {wall:.0f} s | {spent() - before:.0f} s | {most >> 20} MiB"


def _verdict(finding: dict[str, object]) -> str:
    verdict = finding["verdict"]
    return str(verdict["outcome"]) if isinstance(verdict, dict) else "none"


def _tree(pid: int) -> Iterator[int]:
    """All that come from the process ``pid``."""
    with contextlib.suppress(OSError):
        for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
            yield int(child)
            yield from _tree(int(child))


def _held(pid: int) -> int:
    """Bytes, with its share of what it shares."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) << 10
    return 0


if __name__ == "__main__":
    main()
