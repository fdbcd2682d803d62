"""Running the examples: through the verification server, so each example and target has a fresh child and a time limit."""

from __future__ import annotations

import contextlib
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
