"""From what one call showed to what is kept of each file that it went through."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..verify.digests import digest, of_packages, of_python

_PER_PATH = ("traced", "abandoned", "points", "left_out")


@dataclass(frozen=True)
class Row:
    """``name`` tells runs of one file apart; without ``digests`` it holds for this program only."""

    path: str
    name: str
    digests: dict[str, str] | None
    run: dict[str, Any]


def rows(message: dict[str, Any], concerns: Callable[[str], bool]) -> Iterable[Row]:
    """A row for the file of the class itself, and for each other one that the call went through and that ``concerns`` us."""
    result = message["result"]
    executed = result.get("executed", {})
    paths = [message["path"], *(path for path in executed if path != message["path"] and concerns(path))]
    digests = None if result.get("reason") is not None else _digests(message)
    name = f"{message['owner']} {message['kind']}"
    for path in paths:
        yield Row(path, name, digests, _run(message, path))


def _run(message: dict[str, Any], path: str) -> dict[str, Any]:
    result = message["result"]
    return {
        "label": message["label"],
        "name": message["name"],
        "owner": message["owner"],
        "subject": message["owner"].rpartition(".")[2] if path == message["path"] else message["name"],
        "reason": result.get("reason"),
        "executed": result.get("executed", {}).get(path, []),
        "points": result.get("points", {}).get(path, []),
        "targets": {target: _narrowed(reply, path) for target, reply in result.get("targets", {}).items()},
        "torch": result.get("torch", ""),
    }


def _narrowed(reply: dict[str, Any], path: str) -> dict[str, Any]:
    if not reply["ok"]:
        return {"status": "unusable", "why": reply["reason"], "graphs": 0, "observations": []}
    value = reply["value"]
    return {**value, **{key: value[key].get(path, []) for key in _PER_PATH}}


def _digests(message: dict[str, Any]) -> dict[str, str] | None:
    """The files that the verdicts rest on; None where one was changed since the program read it."""
    result = message["result"]
    if result.get("touched") is None:
        return None
    files = {message["path"], *result.get("files", ()), *result["executed"]}
    for reply in result["targets"].values():
        if reply["ok"]:
            files |= set(reply["value"]["traced"])
    found = dict(result["touched"])
    for path in files:
        if _is_covered(path, result["torch_folder"]):
            continue
        found[path] = digest(path)
        if not found[path] or os.stat(path).st_mtime >= result["started"]:
            return None
    return found


def _is_covered(path: str, torch_folder: str) -> bool:
    """Whether the versions of Python and torch say all of ``path``."""
    is_of_python = path.startswith(of_python()) and not path.startswith(of_packages())
    return is_of_python or path.startswith(torch_folder + os.sep)
