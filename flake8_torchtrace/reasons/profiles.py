"""The small file for linting: which targets the bad examples of a rule break, on each recorded torch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import broken, is_known
from flake8_torchtrace.reasons.gate import FILE, FOLDER
from flake8_torchtrace.reasons.layout import laid_out
from flake8_torchtrace.reasons.tables import Table, TableError, recorded

Profile = dict[str, list[str]]


def write_profiles(folder: Path = FOLDER) -> None:
    """Derive the small file from all tables in ``folder``. Raises TableError."""
    path = folder / FILE
    try:
        path.write_text(dumps(recorded(folder)), encoding="utf-8")
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}") from error


def dumps(tables: Sequence[Table]) -> str:
    """The small file as text: sorted, one line for each example that differs from the others of its rule."""
    return laid_out(profiles(tables), 3) + "\n"


def profiles(tables: Sequence[Table]) -> dict[str, Any]:
    """``{"torch": [versions], "rules": {code: [{version: [targets]}]}}``; a version is missing where the example cannot be run."""
    codes = sorted({code for table in tables for code in table.rules})
    rules = {code: _of_rule(code, tables) for code in codes}
    return {"torch": [table.torch for table in tables], "rules": rules}


def _of_rule(code: str, tables: Sequence[Table]) -> list[Profile]:
    newest = next(table.rules[code] for table in reversed(tables) if code in table.rules)
    found: list[Profile] = []
    for index in range(len(newest.bad)):
        profile: Profile = {}
        for table in tables:
            entry = table.rules.get(code)
            # A stale entry is of other examples: its numbers do not tell of these.
            if entry is not None and entry.examples == newest.examples and is_known(entry.bad[index]):
                profile[table.torch] = [target.value for target in Target if target in broken(entry.bad[index])]
        if profile and profile not in found:
            found.append(profile)
    return found
