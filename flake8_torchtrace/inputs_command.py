"""``torchtrace inputs``: recipes to start from."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from typing import Any

from .inputs.importing import dotted_name
from .usage import UsageError

_CHILD = """
import json, sys
package = type(sys)("flake8_torchtrace")
package.__path__ = [sys.argv[1]]
sys.modules["flake8_torchtrace"] = package
from flake8_torchtrace.inputs.mistakes import InputsError
out = sys.stdout
sys.stdout = sys.stderr
try:
    from flake8_torchtrace.inputs.synthesis.entry import synthesise
    found = synthesise(sys.argv[2], sys.argv[3], float(sys.argv[4])).to_dict()
except InputsError as error:
    found = {"reason": str(error)}
except ModuleNotFoundError as error:
    found = {"reason": f"{error} (in {sys.executable})"}
print(json.dumps(found), file=out)
"""
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_SECONDS = 60.0


def add_to(commands: Any) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "inputs",
        help="write recipes to start from: modules of a file built and called with invented arguments",
        description="Builds the module classes of FILE with invented arguments, and writes what worked as a file of recipes. RUNS THE CODE OF FILE.",
    )
    parser.add_argument("place", metavar="FILE[:CLASS]", help="the file, and the class if only one is wanted")
    parser.add_argument("--timeout", type=float, default=_SECONDS, metavar="SECONDS", help="time limit for each class (default: %(default)g)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the recipes; 1 if there is a class without one. Raises UsageError."""
    path, name = _place(options.place)
    names = [name] if name else _classes(path)
    if not names:
        raise UsageError(f"{options.place}: there is no class with a forward")
    module = dotted_name(path)[1]
    entries, missing = [], 0
    for number, name in enumerate(names):
        found = _synthesised(path, name, options.timeout)
        function = _function_name(name, names[:number])
        if found.get("reason"):
            missing += 1
            print(f"torchtrace: {found['reason']}", file=sys.stderr)
        if found.get("recipe"):
            note = "    # This does not work yet.\n" if found["reason"] else f"    # {found['used']}\n"
            head, _, body = found["recipe"].partition("\n")
            print(f"{head.replace('make', function, 1)}\n{note}{body}\n")
            entries.append(f'    "{module}.{found["subject"]}": {function},')
    if entries:
        print("RECIPES = {", *dict.fromkeys(entries), "}", sep="\n")
    return 1 if missing else 0


def _place(text: str) -> tuple[str, str]:
    path, colon, name = text.rpartition(":")
    if not colon or name.endswith(".py") or os.sep in name:
        path, name = text, ""
    if not os.path.isfile(path):
        raise UsageError(f"there is no file {path}")
    return path, name


def _classes(path: str) -> list[str]:
    """The classes at the top of a file that have, or may inherit, a ``forward``. Raises UsageError."""
    with open(path, "rb") as file:
        try:
            body = ast.parse(file.read()).body
        except SyntaxError as error:
            raise UsageError(f"{path}:{error.lineno}: the file does not parse: {error.msg}") from error
    classes = [node for node in body if isinstance(node, ast.ClassDef)]
    return [node.name for node in classes if any(isinstance(item, ast.FunctionDef) and item.name == "forward" for item in node.body)]


def _synthesised(path: str, name: str, seconds: float) -> dict[str, str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", _CHILD, _PACKAGE, path, name, str(seconds * 0.7)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return {"reason": f"no inputs could be synthesised for {name}: it took longer than {seconds:g} s"}
    try:
        found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or [f"it ended with status {done.returncode}"])[-1]
        return {"reason": f"no inputs could be synthesised for {name}: {last}"}
    return found


def _function_name(name: str, others: list[str]) -> str:
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.replace(".", "_")).lower()
    return plain if plain not in [_function_name(other, []) for other in others] else f"{plain}_{len(others)}"
