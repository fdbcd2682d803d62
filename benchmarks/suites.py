"""Test suites of packages with and without ``pytest --torchtrace``: do the same tests pass, and how many flagged classes got a verdict?

Each FOLDER is an unpacked source distribution that has its tests with it, in an environment that can run them. Usage:

    python benchmarks/suites.py FOLDER [FOLDER ...] [-- PYTEST_ARGUMENT ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree


def main(arguments: list[str]) -> None:
    """Run every suite twice."""
    folders, _, given = " ".join(arguments).partition(" -- ")
    for folder in map(Path, folders.split()):
        _suite(folder.resolve(), given.split())


def _suite(folder: Path, given: list[str]) -> None:
    alone, seconds, _ = _run(folder, given)
    recorded, longer, told = _run(folder, [*given, "--torchtrace"])
    differing = sorted(name for name in {*alone, *recorded} if alone.get(name) != recorded.get(name))
    counts = {outcome: list(alone.values()).count(outcome) for outcome in sorted(set(alone.values()))}
    print(f"{folder.name}: {counts}, {seconds:.0f} s alone, {longer:.0f} s recorded, {len(differing)} tests differ")
    for name in differing[:20]:
        print(f"  {name}: {alone.get(name)} alone, {recorded.get(name)} recorded")
    for line in told:
        print(f"  {line}")


def _run(folder: Path, given: list[str]) -> tuple[dict[str, str], float, list[str]]:
    """Outcomes by test, seconds, and what our section says."""
    with tempfile.TemporaryDirectory() as place:
        report = Path(place, "report.xml")
        command = [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", f"--junitxml={report}", *given]
        environment = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
        start = time.perf_counter()
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - start
        if not report.exists():
            sys.exit(f"{folder.name}: pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
        outcomes = {}
        for case in ElementTree.parse(report).getroot().iter("testcase"):
            outcomes[f"{case.get('classname')}::{case.get('name')}"] = next((child.tag for child in case if child.tag in _BAD), "passed")
    section = done.stdout.partition("= torchtrace =")[2].splitlines()
    return outcomes, seconds, [line for line in section if "finding" in line or line.startswith(("not verified", "trouble"))]


_BAD = ("failure", "error", "skipped")

if __name__ == "__main__":
    main(sys.argv[1:])
