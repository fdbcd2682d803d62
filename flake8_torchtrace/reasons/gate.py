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
CALLS = "calls"
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

    def breaks(self, code: str, claimed: frozenset[Target], name: str = "") -> frozenset[Target]:
        """What breaks there of a hit of rule ``code`` that claims ``claimed`` on the reference torch and calls ``name``.

        The examples of the rule that broke the same targets on the reference torch speak for the hit: if some of them call the
        same, those alone. What most of them break there, the hit breaks. If there is no such example, the claim loses what some
        example broke on the reference torch and none breaks there. Where nothing is recorded the claim stands.
        """
        torch, profiles = self.version, self._profiles(code)
        if torch == REFERENCE or not profiles:
            return claimed
        kin = [profile for profile in profiles if profile.on.get(REFERENCE) == claimed]
        kin = [profile for profile in kin if callee(name) in profile.calls] or kin
        if kin:
            return frozenset(target for target in Target if 2 * sum(target in profile.on[torch] for profile in kin) > len(kin))
        before, now = (frozenset[Target]().union(*(profile.on.get(key, ()) for profile in profiles)) for key in (REFERENCE, torch))
        return claimed - (before - now)

    def may_break(self, code: str) -> bool:
        """Whether some example of rule ``code`` breaks something there."""
        return any(profile.on[self.version] for profile in self._profiles(code))

    def _profiles(self, code: str) -> list[_Profile]:
        """The profiles of the examples that could be run there."""
        return [profile for profile in _load(self.folder)[1].get(code, ()) if self.version in profile.on]


@dataclass(frozen=True)
class Either:
    """Two torches that are compared: what breaks on one of them is worth asking both."""

    before: Gate
    after: Gate

    @property
    def version(self) -> str:
        """The recorded versions that are asked."""
        versions = dict.fromkeys((self.before.version, self.after.version))
        return " or ".join(versions)

    def breaks(self, code: str, claimed: frozenset[Target], name: str = "") -> frozenset[Target]:
        """As `Gate.breaks`, on either."""
        return self.before.breaks(code, claimed, name) | self.after.breaks(code, claimed, name)

    def may_break(self, code: str) -> bool:
        """As `Gate.may_break`, on either."""
        return self.before.may_break(code) or self.after.may_break(code)


def callee(name: str) -> str:
    """The name of an event as profiles have it: a function of torch and the method of tensors of that name are one."""
    return name.rpartition(".")[2] if name.startswith("torch.") else name


@dataclass(frozen=True)
class _Profile:
    """What one example calls, and which targets it breaks on each torch."""

    calls: frozenset[str]
    on: dict[str, frozenset[Target]]


@functools.cache
def _load(folder: Path) -> tuple[list[str], dict[str, list[_Profile]]]:
    table: dict[str, Any] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return table["torch"], {code: [_profile(raw) for raw in profiles] for code, profiles in table["rules"].items()}


def _profile(raw: dict[str, list[str]]) -> _Profile:
    on = {torch: frozenset(map(Target, names)) for torch, names in raw.items() if torch != CALLS}
    return _Profile(frozenset(raw.get(CALLS, ())), on)


@functools.cache
def _nearest(version: str | None, folder: Path) -> str:
    known = _load(folder)[0]
    wanted = _wanted(version)
    if wanted is None:
        return known[-1]
    not_newer = [torch for torch in known if parse_version(torch) <= wanted]
    return not_newer[-1] if not_newer else known[0]


def stand_in(version: str, folder: Path = FOLDER) -> str | None:
    """What to tell of ``version`` if it was not measured: which one is taken for it, and why; None if it was."""
    known = _load(folder)[0]
    asked, minors = parse_version(version), [parse_version(torch) for torch in known]
    if asked in minors:
        return None
    why = "is older than all that were measured" if asked < minors[0] else "is newer than all that were measured"
    if minors[0] < asked < minors[-1]:
        why = "was not measured"
    return f"torch {version} {why} ({', '.join(known)}): what is reported holds for torch {_nearest(version, folder)}"


def _wanted(version: str | None) -> tuple[int, int] | None:
    if version is not None:
        return parse_version(version)
    found = installed_version()
    try:
        return None if found is None else parse_version(found)
    except ValueError:  # built by hand, with a version of its own
        return None
