"""What the linter costs on top of bare flake8, as ratios of CPU time from one run.

    pip install --no-deps --target DIR transformers timm diffusers monai torch_geometric
    python benchmarks/lint_speed.py --packages DIR

The script needs Python and nothing else; it makes its own environments in a temporary folder: flake8 alone, flake8 with this package,
flake8 with TorchFix. Every command runs with ``--jobs=1`` in an empty folder; commands to be compared are run in turn, and the median of
the ratios of ``--rounds`` rounds is printed, with the lowest and the highest in brackets. The whole tree is run once; with TorchFix it
takes half an hour and more, so ``--every 10`` takes a sample of it.
"""

from __future__ import annotations

import argparse
import email
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("transformers", "timm", "diffusers", "monai", "torch_geometric")


def cpu_of(command: Sequence[str], folder: Path) -> tuple[float, int]:
    """CPU seconds (user and system) and peak memory (KiB) of a command and its children; what it prints is dropped.

    Raises:
        SystemExit: the command failed in a way that is not findings: a status other than 0 and 1, or a traceback, with which flake8 ends
            with status 1 as well.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        done = subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = done.stderr.decode()
        report = {"cpu": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss, "status": done.returncode, "stderr": said[-500:]}
        report["traceback"] = "Traceback (most recent call last)" in said
        os.write(writer, json.dumps(report).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        report = json.loads(pipe.read())
    os.waitpid(pid, 0)
    if report["status"] not in (0, 1) or report["traceback"]:
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


def versions(programs: dict[str, str]) -> None:
    """Print what is compared."""
    print(f"Python {sys.version.split()[0]}")
    for name, program in programs.items():
        found = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
        print(f"  {name:12s} {' '.join(found.stdout.split())}")


def ratios(programs: dict[str, str], names: Sequence[str], files: Sequence[str], rounds: int) -> None:
    """Print, for each environment, its CPU time against bare flake8 on ``files``."""
    taken: dict[str, list[tuple[float, int]]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name in names:
                taken[name].append(cpu_of([programs[name], "--isolated", "--jobs=1", *files], Path(folder)))
    for name in names:
        found = [mine[0] / bare[0] for mine, bare in zip(taken[name], taken["bare"], strict=True)]
        memory = statistics.median(mine[1] / bare[1] for mine, bare in zip(taken[name], taken["bare"], strict=True))
        seconds = statistics.median(cpu for cpu, _ in taken[name])
        print(f"  {name:12s} {seconds:9.2f} s   {statistics.median(found):5.2f}x  [{min(found):.2f}-{max(found):.2f}]   peak memory {memory:.2f}x")
    if "torchfix" in names and "torchtrace" in names:
        mine = statistics.median(ours[0] / theirs[0] for ours, theirs in zip(taken["torchtrace"], taken["torchfix"], strict=True))
        print(f"  torchtrace against torchfix: {mine:.2f}x of the time")


def lines_of(file: Path) -> int:
    """How many lines a file has."""
    return len(file.read_text(encoding="utf-8").splitlines())


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packages", required=True, type=Path, help="directory that holds the unpacked packages")
    parser.add_argument("--rounds", type=int, default=5, help="rounds for the single files (the whole tree is run once)")
    parser.add_argument("--every", type=int, default=1, help="take every n-th file of the tree only")
    parser.add_argument("--no-torchfix", action="store_true", help="leave TorchFix out of the whole tree, where it takes half an hour")
    options = parser.parse_args()
    one = options.packages / "transformers" / "models" / "bart" / "modeling_bart.py"
    with tempfile.TemporaryDirectory() as folder:
        programs = make_environments(Path(folder))
        versions(programs)
        everyone = ("bare", "torchtrace", "torchfix")
        plain = Path(folder) / "plain.py"
        plain.write_text('"""Nothing to see."""\n\n\ndef add(first, second):\n    return first + second\n')
        print("a file without torch, 5 lines")
        ratios(programs, everyone, [str(plain)], options.rounds)
        print(f"a file without torch, {lines_of(Path(textwrap.__file__))} lines (textwrap of the standard library)")
        ratios(programs, everyone, [textwrap.__file__], options.rounds)
        library = sorted(str(path) for path in Path(email.__file__).parent.rglob("*.py"))
        print(f"{len(library)} files without torch (email of the standard library)")
        ratios(programs, everyone, library, options.rounds)
        print(f"one modelling file, {lines_of(one)} lines (BART of transformers)")
        ratios(programs, everyone, [str(one)], options.rounds)
        tree = sorted(str(path) for name in PACKAGES for path in (options.packages / name).rglob("*.py"))[:: options.every]
        print(f"the installed packages, {len(tree)} files")
        names = ("bare", "torchtrace") if options.no_torchfix else everyone
        ratios(programs, names, tree, 1)


if __name__ == "__main__":
    main()
