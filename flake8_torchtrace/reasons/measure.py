"""Running the examples: through the verification server, so each example and target has a fresh child and a time limit."""

from __future__ import annotations

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flake8_torchtrace.inputs.declared import Declared
from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import Outcome, outcome
from flake8_torchtrace.reasons.examples import Case
from flake8_torchtrace.verify import Session, VerifySettings
from flake8_torchtrace.verify.home import Home, find_home
from flake8_torchtrace.verify.launch import ServerError, ask_server
from flake8_torchtrace.verify.request import request


class MeasureError(Exception):
    """Nothing can be measured; the text says why, for the user."""


@dataclass(frozen=True)
class Measured:
    """What became of one example on torch ``torch``. ``notes``: what the tool says of that torch."""

    case: Case
    result: Outcome
    torch: str
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Interpreter:
    """``version``: ``3.11``; ``torch``: the version that its metadata names, without the build; empty if it has none."""

    path: str
    version: str
    torch: str


_ASK = """
import importlib.metadata, sys
print("%d.%d" % sys.version_info[:2])
try:
    print(importlib.metadata.version("torch").partition("+")[0])
except importlib.metadata.PackageNotFoundError:
    pass
"""


def find_interpreter(python: str) -> Interpreter:
    """What ``python`` is. Raises MeasureError if it is no interpreter."""
    command = [python, "-c", _ASK]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MeasureError(f"cannot start the interpreter {python}: {getattr(error, 'strerror', None) or error}") from error
    if done.returncode != 0 or not done.stdout.strip():
        raise MeasureError(f"{python} is not a Python interpreter that works")
    version, *torch = done.stdout.split()
    return Interpreter(python, version, "".join(torch))


def measure(cases: Sequence[Case], python: str, timeout: float) -> Iterator[Measured]:
    """Run every case for every target in the interpreter ``python``, ``timeout`` seconds each, and yield what came out.

    Raises:
        MeasureError: there is no torch in that interpreter, or no child can be started.
    """
    settings = VerifySettings(timeout=timeout, python=python)
    with contextlib.closing(Session(settings)), tempfile.TemporaryDirectory(prefix="torchtrace-") as folder:
        home = find_home()
        if home is None:
            raise MeasureError("running examples needs a system that can fork, such as Linux or macOS")
        for case in cases:
            path = Path(folder).resolve() / case.file_name
            path.write_text(case.source, encoding="utf-8")
            yield _measured(case, _ask(home, path))


def _ask(home: Home, path: Path) -> dict[str, Any]:
    try:
        answer = ask_server(home, request(str(path), Declared(True, False, ()), Target))
    except (ServerError, OSError) as error:
        raise MeasureError(str(error)) from error
    if "failure" in answer:
        raise MeasureError(answer["failure"])
    return answer


def _measured(case: Case, answer: dict[str, Any]) -> Measured:
    (run,) = answer["runs"]
    return Measured(case, outcome(run, case.rule), answer["torch"], answer["notes"])
