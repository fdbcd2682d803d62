"""Beside the program: lints the files it loads, says which calls are verified, keeps what they showed, and makes verdicts of it."""

from __future__ import annotations

import argparse
import threading
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from flake8_torchtrace.audit.check import Checked, Checker, Found
from flake8_torchtrace.audit.files import python_files, shown
from flake8_torchtrace.config import Config
from flake8_torchtrace.model import Outcome
from flake8_torchtrace.run import Run
from flake8_torchtrace.verify.kept import Kept

from .recorded import Recorded
from .rows import Row, rows
from .settings import Recording

Message = dict[str, Any]


@dataclass
class Tally:
    """What was done: calls verified, those that could not be, seconds that took, and what went wrong with us."""

    calls: int = 0
    seconds: float = 0.0
    failed: list[str] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)


class Keeper:
    """Answers the program's processes, one question at a time."""

    def __init__(self, options: argparse.Namespace, run: Run, recording: Recording, store: str | None) -> None:
        self._options, self._recording = options, recording
        self._config = run.config or Config()
        self._linter = Checker(options, run)
        self._judge = Checker(options, _judging(run, self._runs_of))
        self._store = Kept(store) if store is not None else None
        self._linted: dict[str, Checked] = {}
        self._claims: dict[tuple[str, str], set[str]] = {}
        self._runs: dict[str, dict[str, Message]] = {}
        self._rows: list[Row] = []
        self._lock = threading.Lock()
        self._deeds: dict[str, Callable[[Message], Message]] = {
            "recording": self._told, "flagged": self._flagged, "claim": self._claim, "result": self._result, "trouble": self._trouble,
        }  # fmt: skip
        self.tally = Tally()

    def answer(self, message: Message) -> Message:
        """What the program asked."""
        with self._lock:
            return self._deeds[message["op"]](message)

    def classes(self) -> tuple[int, int, int]:
        """How many classes and functions with findings there are in the files that were looked at, were called, and were run by torch."""
        with self._lock:
            flagged = {(path, owner) for path in self._linted for owner in self._flagged({"path": path})["owners"]}
            ran = {(path, run["owner"]) for path, runs in self._runs.items() for run in runs.values() if run["reason"] is None}
            return len(flagged), len(flagged & set(self._claims)), len(flagged & ran)

    def findings(self) -> list[Found]:
        """What is told of all files of which a class or function was looked at, with verdicts where there are any."""
        with self._lock:
            return [found for path in sorted(self._linted) for found in self._judge.check(self._linted[path].path).found]

    def _told(self, message: Message) -> Message:
        return asdict(self._recording)

    def _flagged(self, message: Message) -> Message:
        owners: dict[str, list[str]] = {}
        for found in self._lint(message["path"]).found:
            owner, entry = _owner(found), found.result.finding.chain[:1]
            if owner is not None:
                entries = owners.setdefault(owner, [])
                entries += [name for name in entry if name not in entries]
        return {"owners": owners}

    def _lint(self, path: str) -> Checked:
        if path not in self._linted:
            checked = python_files([path], self._options)
            self._linted[path] = self._linter.check(shown(path)) if checked else Checked(path)
        return self._linted[path]

    def _claim(self, message: Message) -> Message:
        path, owner = message["path"], message["owner"]
        kinds = self._claims.setdefault((path, owner), set())
        is_granted = message["kind"] not in kinds and len(kinds) < self._recording.calls and not self._is_settled(path, owner)
        if is_granted:
            kinds.add(message["kind"])
        return {"is_granted": is_granted, "is_full": len(kinds) >= self._recording.calls or self._is_settled(path, owner)}

    def _is_settled(self, path: str, owner: str) -> bool:
        """Whether torch has decided all findings of a class."""
        if path not in self._runs:
            return False
        own = [found for found in self._lint(path).found if _owner(found) == owner]
        judged = {_place(found): found for found in self._judge.check(self._linted[path].path).found}
        return all(_is_decided(judged.get(_place(found))) for found in own)

    def _result(self, message: Message) -> Message:
        self.tally.calls += 1
        self.tally.seconds += message["result"].get("seconds", 0.0)
        if message["result"].get("reason"):
            self.tally.failed.append(f"{message['name']}: {message['result']['reason']}")
        for row in rows(message, self._concerns):
            self._runs.setdefault(row.path, {})[row.name] = row.run
            self._rows.append(row)
        return {}

    def keep(self) -> None:
        """Put into the store what it is to keep: once the program is over, which might look at its folder."""
        with self._lock:
            for row in self._rows:
                if self._store is not None and row.digests is not None:
                    self._store.put(row.path, row.name, row.digests, row.run)
            self._rows.clear()

    def _concerns(self, path: str) -> bool:
        return bool(self._lint(path).found)

    def _runs_of(self, path: str) -> list[Message]:
        return list(self._runs.get(path, {}).values())

    def _trouble(self, message: Message) -> Message:
        if message["text"] not in self.tally.troubles:
            self.tally.troubles.append(message["text"])
        return {}


def _judging(run: Run, runs: Any) -> Run:
    """As ``run``, with verdicts from ``runs``."""
    judging = Run(run.disable_noqa, run.config or Config())
    judging.index = run.index
    judging.judge(Recorded((run.config or Config()).targets, runs))
    return judging


def _owner(found: Found) -> str | None:
    """The class, or the free function, at whose call tracing starts that gets to a finding."""
    finding = found.result.finding
    return (finding.owner or finding.chain[0]) if finding.targets and finding.chain else None


def _place(found: Found) -> tuple[str, int, int]:
    finding = found.result.finding
    return finding.code, finding.span.line, finding.span.column


def _is_decided(found: Found | None) -> bool:
    """A finding that is not told any more was dismissed."""
    if found is None:
        return True
    verdict = found.result.verdict
    decided = (Outcome.CONFIRMED, Outcome.DISMISSED)
    return verdict is not None and all(target.outcome in decided for target in verdict.targets.values())
