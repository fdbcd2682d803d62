"""What the linter costs on top of bare flake8, as ratios of CPU time from one run.

    python benchmarks/lint_speed.py --packages DIR

``DIR`` holds unpacked packages (``pip install --no-deps --target DIR transformers timm diffusers monai torch_geometric``). The script makes its
own environments in a temporary folder: flake8 alone, flake8 with this package, flake8 with TorchFix. Every command runs with ``--jobs=1``;
commands to be compared are run in turn and the median of ``--rounds`` ratios is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("transformers", "timm", "diffusers", "monai", "torch_geometric")


def cpu_of(command: Sequence[str]) -> tuple[float, int]:
    """CPU seconds (user and system) and peak memory (KiB) of a command and its children; what it prints is dropped.

    Raises:
        SystemExit: the command failed in a way that is not findings (a status other than 0 and 1).
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss, "status": done.returncode, "stderr": done.stderr.decode()[-500:]}
        os.write(writer, json.dumps(report).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        report = json.loads(pipe.read())
    os.waitpid(pid, 0)
    if report["status"] not in (0, 1):
        sys.exit(f"{' '.join(command[:4])} ... ended with status {report['status']}: {report['stderr']}")
    return report["cpu"], report["peak"]


def make_environments(folder: Path) -> dict[str, str]:
    """The flake8 program of each environment, by name."""
    wanted = {
        "bare": [["flake8"]],
        "torchtrace": [["flake8", str(ROOT)]],
        # TorchFix caps libcst for no reason that matters here; without its dependencies it takes the libcst that the others use.
        "torchfix": [["flake8", "libcst", "pyyaml"], ["--no-deps", "torchfix"]],
    }
    programs = {}
    for name, installs in wanted.items():
        where = folder / name
        subprocess.run([sys.executable, "-m", "venv", str(where)], check=True)
        for arguments in installs:
            subprocess.run([str(where / "bin" / "pip"), "install", "-q", *arguments], check=True)
        programs[name] = str(where / "bin" / "flake8")
    return programs


def ratios(programs: dict[str, str], names: Sequence[str], files: Sequence[str], rounds: int) -> None:
    """Print, for each environment, its CPU time against bare flake8 on ``files``."""
    taken: dict[str, list[tuple[float, int]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            taken[name].append(cpu_of([programs[name], "--isolated", "--jobs=1", *files]))
    for name in names:
        found = [mine[0] / bare[0] for mine, bare in zip(taken[name], taken["bare"], strict=True)]
        memory = statistics.median(mine[1] / bare[1] for mine, bare in zip(taken[name], taken["bare"], strict=True))
        seconds = statistics.median(cpu for cpu, _ in taken[name])
        print(f"  {name:12s} {seconds:9.2f} s   {statistics.median(found):5.2f}x  [{min(found):.2f}-{max(found):.2f}]   peak memory {memory:.2f}x")
    if "torchfix" in names and "torchtrace" in names:
        mine = statistics.median(ours[0] / theirs[0] for ours, theirs in zip(taken["torchtrace"], taken["torchfix"], strict=True))
        print(f"  torchtrace against torchfix: {mine:.2f}x of the time")


def main() -> None:
    """Run the three comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True, type=Path, help="directory that holds the unpacked packages")
    parser.add_argument("--rounds", type=int, default=5, help="rounds for the single files (the whole tree is run once)")
    parser.add_argument("--every", type=int, default=1, help="take every n-th file of the tree only")
    parser.add_argument("--no-torchfix", action="store_true", help="leave TorchFix out of the whole tree, where it takes half an hour")
    options = parser.parse_args()
    one = options.packages / "transformers" / "models" / "bart" / "modeling_bart.py"
    with tempfile.TemporaryDirectory() as folder:
        programs = make_environments(Path(folder))
        plain = Path(folder) / "plain.py"
        plain.write_text('"""Nothing to see."""\n\n\ndef add(first, second):\n    return first + second\n')
        print("a file without torch")
        ratios(programs, ("bare", "torchtrace", "torchfix"), [str(plain)], options.rounds)
        print(f"one modelling file, {len(one.read_text().splitlines())} lines")
        ratios(programs, ("bare", "torchtrace", "torchfix"), [str(one)], options.rounds)
        tree = sorted(str(path) for name in PACKAGES for path in (options.packages / name).rglob("*.py"))[:: options.every]
        print(f"the installed packages, {len(tree)} files")
        names = ("bare", "torchtrace") if options.no_torchfix else ("bare", "torchtrace", "torchfix")
        ratios(programs, names, tree, 1)


if __name__ == "__main__":
    main()
