"""The small file for linting: which targets the bad examples of a rule break, on each recorded torch."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import broken, is_known
from flake8_torchtrace.reasons.examples import module_text
from flake8_torchtrace.reasons.gate import CALLS, FILE, FOLDER, REFERENCE, callee
from flake8_torchtrace.reasons.layout import laid_out
from flake8_torchtrace.reasons.tables import Table, TableError, current, recorded
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.rule import Example, Rule
from flake8_torchtrace.source.rules import all_rules

Profile = dict[str, list[str]]


def write_profiles(folder: Path = FOLDER) -> None:
    """Derive the small file from all tables in ``folder``. Raises TableError."""
    path = folder / FILE
    try:
        path.write_text(dumps(recorded(folder)), encoding="utf-8")
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}") from error


def dumps(tables: Sequence[Table]) -> str:
    """The small file as text, one line for each profile."""
    return laid_out(profiles(tables, all_rules()), 3) + "\n"


def profiles(tables: Sequence[Table], rules: Sequence[Rule]) -> dict[str, Any]:
    """``{"torch": [versions], "rules": {code: [profile]}}``.

    A profile is ``{"calls": [names], version: [targets]}`` for each example or for several that do the same; a version is missing
    where the example cannot be run.
    """
    by_code = {rule.code: _of_rule(rule, tables) for rule in rules}
    return {"torch": [table.torch for table in tables], "rules": {code: found for code, found in by_code.items() if found}}


def _of_rule(rule: Rule, tables: Sequence[Table]) -> list[Profile]:
    entries = {table.torch: entry for table in tables if (entry := current(table, rule)) is not None}
    found: list[Profile] = []
    for index, example in enumerate(rule.bad):
        results = {torch: entry.bad[index] for torch, entry in entries.items() if is_known(entry.bad[index])}
        on = {torch: [target.value for target in Target if target in broken(result)] for torch, result in results.items()}
        profile = {CALLS: sorted(_calls(rule, example)), **on}
        if on and profile not in found:
            found.append(profile)
    return found


def _calls(rule: Rule, example: Example) -> set[str]:
    """The names of the events that the example's hits come from."""
    source, listening = module_text(example), _Listening(rule.code)
    find("net.py", ast.parse(source), source.splitlines(keepends=True), LintSettings(possible=True, torch=listening))
    return listening.names


@dataclass
class _Listening:
    """Takes every claim as it is and keeps the names it is asked about."""

    code: str
    version: str = REFERENCE
    names: set[str] = field(default_factory=set)

    def breaks(self, code: str, claimed: frozenset[Target], name: str) -> frozenset[Target]:
        self.names |= {callee(name)} if name and code == self.code else set()
        return claimed

    def may_break(self, code: str) -> bool:
        return True
