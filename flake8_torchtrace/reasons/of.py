"""``torchtrace reasons --of FILE:CLASS``: what torch makes of one module, run through the verification server."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flake8_torchtrace.inputs.declared import Declared, declared
from flake8_torchtrace.model import Observation, Target
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify import Session, VerifySettings
from flake8_torchtrace.verify.home import find_home
from flake8_torchtrace.verify.launch import ServerError, ask_server
from flake8_torchtrace.verify.request import request
from flake8_torchtrace.verify.results import parse_observation


@dataclass(frozen=True)
class Accounted:
    """One module with one set of inputs. ``account``, ``targets`` and ``dynamic`` as ``tracing`` gives them; ``reason`` says why there are none."""

    name: str
    label: str
    torch: str
    reason: str | None
    account: dict[str, Any]
    targets: dict[Target, dict[str, Any]]
    notes: list[str]
    dynamic: dict[str, Any] = field(default_factory=dict)

    def breaks(self) -> list[Observation]:
        """The breaks of a default compile, the most costly first."""
        found = [parse_observation(Target.COMPILE, item) for item in self.account.get("breaks", ())]
        return sorted(found, key=lambda item: item.weight, reverse=True)

    def refusals(self, target: Target) -> list[Observation]:
        """What ``target`` refused."""
        return [parse_observation(target, item) for item in self.targets[target]["observations"]]


def account_of(place: str, settings: VerifySettings) -> list[Accounted]:
    """Run every module that ``place``, ``FILE`` or ``FILE:CLASS``, has inputs for.

    Raises:
        UsageError: there is no such file or class, or nothing to run it with.
    """
    path, wanted = _parsed(place)
    offered = _declared(path)
    if wanted and wanted not in offered.classes:
        raise UsageError(f"--of: there is no class {wanted} in {path}; it has {', '.join(offered.classes) or 'none'}")
    answer = _ask(path, wanted, offered, settings)
    runs = [run for run in answer["runs"] if not wanted or wanted in (run["name"], run["subject"])]
    if not runs:
        raise UsageError(answer["problems"][0] if answer["problems"] else _nothing_to_run(path, wanted, answer["runs"]))
    return [_accounted(run, answer) for run in runs]


def _parsed(place: str) -> tuple[Path, str]:
    path, separator, name = place.rpartition(":")
    if not separator or not path.endswith(".py"):
        path, name = place, ""
    if not os.path.isfile(path):
        raise UsageError(f"--of: there is no file {path}; write FILE or FILE:CLASS")
    return Path(os.path.realpath(path)), name


def _declared(path: Path) -> Declared:
    try:
        return declared(path.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise UsageError(f"--of: {path}, line {error.lineno}: {error.msg}") from error
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--of: cannot read {path}: {error}") from error


def _ask(path: Path, wanted: str, offered: Declared, settings: VerifySettings) -> dict[str, Any]:
    owners = [wanted] if wanted else offered.classes
    asked = request(str(path), offered, settings.targets, recipes=settings.recipes, owners=owners, account=True, dynamic=settings.dynamic)
    with contextlib.closing(Session(settings)):
        home = find_home()
        if home is None:
            raise UsageError("running a module needs a system that can fork, such as Linux or macOS")
        try:
            answer = ask_server(home, asked)
        except (ServerError, OSError) as error:
            raise UsageError(str(error)) from error
    if "failure" in answer:
        raise UsageError(answer["failure"])
    return answer


def _nothing_to_run(path: Path, wanted: str, runs: list[dict[str, Any]]) -> str:
    if runs:
        return f"--of: no inputs for {wanted}; there are inputs for {', '.join(run['subject'] or run['label'] for run in runs)}"
    return f"--of: no inputs for {wanted or path.name} (how: make() or example_inputs() in that file, or a recipe with --recipes)"


def _accounted(run: dict[str, Any], answer: dict[str, Any]) -> Accounted:
    reply = run.get("account", {"ok": False, "reason": ""})
    reason = run["reason"] or (None if reply["ok"] else reply["reason"])
    account = reply["value"] if reply["ok"] else {}
    targets = {Target(name): result for name, result in run["targets"].items()}
    return Accounted(run["name"], run["label"], answer["torch"], reason, account, targets, answer["notes"], run.get("dynamic", {}))
