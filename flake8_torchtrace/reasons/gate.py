"""The version gate: which of the targets that a finding claims break on the torch that a project uses.

The linter comes here only when it has a finding. It reads one small file, made from the recorded tables, and never imports torch.
"""

from __future__ import annotations

import functools
import importlib.metadata
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flake8_torchtrace.config import parse_version
from flake8_torchtrace.model import Target

FILE = "targets.json"
REFERENCE = "2.13.0"
"""The torch that the ``targets`` of the rules, and of single hits, describe."""
FOLDER = Path(__file__).resolve().parent.parent / "data"


def installed_version() -> str | None:
    """The version of the torch installed beside this package, found without importing it; None if there is none."""
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None


@dataclass(frozen=True)
class Gate:
    """Asks the tables about the torch version ``wanted``; None: the torch installed beside flake8, else the newest recorded."""

    wanted: str | None = None
    folder: Path = FOLDER

    @property
    def version(self) -> str:
        """The recorded version that is asked: the nearest that is not newer, by minor version, else the oldest."""
        return _nearest(self.wanted, self.folder)

    def breaks(self, code: str, claimed: frozenset[Target]) -> frozenset[Target]:
        """What breaks there of a hit of rule ``code`` that claims ``claimed`` on the reference torch.

        The examples of the rule that broke the same targets on the reference torch speak for the hit. If there is no such
        example, the claim loses what some example broke on the reference torch and none breaks there. Where nothing is
        recorded the claim stands.
        """
        torch = self.version
        profiles = [_sets(profile) for profile in _load(self.folder)["rules"].get(code, ())]
        if torch == REFERENCE or not any(torch in profile for profile in profiles):
            return claimed
        kin = [profile for profile in profiles if profile.get(REFERENCE) == claimed and torch in profile]
        if kin:
            return frozenset().union(*(profile[torch] for profile in kin))
        before = frozenset[Target]().union(*(profile.get(REFERENCE, ()) for profile in profiles))
        now = frozenset[Target]().union(*(profile.get(torch, ()) for profile in profiles))
        return claimed - (before - now)


@functools.cache
def _load(folder: Path) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return table


@functools.cache
def _nearest(version: str | None, folder: Path) -> str:
    known: list[str] = _load(folder)["torch"]
    wanted = _wanted(version)
    if wanted is None:
        return known[-1]
    not_newer = [torch for torch in known if parse_version(torch) <= wanted]
    return not_newer[-1] if not_newer else known[0]


def _wanted(version: str | None) -> tuple[int, int] | None:
    if version is not None:
        return parse_version(version)
    found = installed_version()
    try:
        return None if found is None else parse_version(found)
    except ValueError:  # built by hand, with a version of its own
        return None


def _sets(profile: dict[str, list[str]]) -> dict[str, frozenset[Target]]:
    return {torch: frozenset(map(Target, names)) for torch, names in profile.items()}
