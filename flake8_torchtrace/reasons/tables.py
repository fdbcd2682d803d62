"""The recorded tables: what each example did on one torch. Written by ``torchtrace reasons --record`` and never by hand."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import Outcome
from flake8_torchtrace.reasons.examples import KINDS, Kind, digest
from flake8_torchtrace.reasons.gate import FOLDER
from flake8_torchtrace.reasons.layout import laid_out
from flake8_torchtrace.reasons.measure import Measured
from flake8_torchtrace.source.rule import Rule


class TableError(Exception):
    """A table cannot be read or written; the text says why, for the user."""


@dataclass
class RuleEntry:
    """What the examples of one rule did, in order. ``examples``: their digest."""

    examples: str
    bad: list[Outcome] = field(default_factory=list)
    good: list[Outcome] = field(default_factory=list)

    def of(self, kind: Kind) -> list[Outcome]:
        """The outcomes of the bad or of the good examples."""
        return self.bad if kind == "bad" else self.good


@dataclass
class Table:
    """``torch``: ``2.13.0``; ``python``: ``3.11``; ``rules``: by code."""

    torch: str
    python: str
    rules: dict[str, RuleEntry] = field(default_factory=dict)


def current(table: Table, rule: Rule) -> RuleEntry | None:
    """The entry of ``rule``, or None if there is none or it is of other examples than the rule has now."""
    entry = table.rules.get(rule.code)
    return entry if entry is not None and entry.examples == digest(rule) else None


def from_measured(measured: Iterable[Measured], python: str) -> Table:
    """The table of what was measured, which must not be nothing."""
    table = Table("", python)
    for item in measured:
        table.torch = item.torch
        entry = table.rules.setdefault(item.case.rule.code, RuleEntry(digest(item.case.rule)))
        entry.of(item.case.kind).append(item.result)
    return table


def file_name(torch: str) -> str:
    """The name of the table of a torch version."""
    return f"torch-{torch}.json"


def version_key(torch: str) -> tuple[int, ...]:
    """Sorts versions such as ``2.13.0``."""
    return tuple(int(part) for part in torch.split(".") if part.isdigit())


def recorded(folder: Path = FOLDER) -> list[Table]:
    """The tables in the repository, the oldest torch first. Raises TableError."""
    return sorted((read(path) for path in folder.glob("torch-*.json")), key=lambda table: version_key(table.torch))


def read(path: Path) -> Table:
    """The table in a file. Raises TableError."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        rules = {code: _rule_entry(entry) for code, entry in raw["rules"].items()}
        return Table(raw["torch"], raw["python"], rules)
    except OSError as error:
        raise TableError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TableError(f"{path} is not a table of torchtrace reasons") from error


def _rule_entry(raw: dict[str, Any]) -> RuleEntry:
    lists = {kind: [{Target(key): value for key, value in outcome.items()} for outcome in raw[kind]] for kind in KINDS}
    return RuleEntry(raw["examples"], lists["bad"], lists["good"])


def merged(old: Table, new: Table) -> Table:
    """``old`` with the rules of ``new`` in place of its own. Raises TableError if they are of different torch or Python."""
    if (old.torch, old.python) != (new.torch, new.python):
        was, now = (f"torch {table.torch}, Python {table.python}" for table in (old, new))
        raise TableError(f"the table was recorded with {was}, this is {now}: record all rules, or use another file")
    return Table(old.torch, old.python, {**old.rules, **new.rules})


def write(table: Table, path: Path) -> None:
    """Write ``table`` with one line for each example and target. Raises TableError."""
    try:
        path.write_text(dumps(table), encoding="utf-8")
    except OSError as error:
        raise TableError(f"cannot write {path}: {error.strerror}") from error


def dumps(table: Table) -> str:
    """``table`` as sorted JSON."""
    return laid_out(plain(table), 5) + "\n"


def plain(table: Table) -> dict[str, Any]:
    """``table`` as JSON has it."""
    rules = {code: _plain_entry(table.rules[code]) for code in sorted(table.rules)}
    return {"torch": table.torch, "python": table.python, "rules": rules}


def _plain_entry(entry: RuleEntry) -> dict[str, Any]:
    lists: dict[str, Any] = {kind: [{target.value: outcome[target] for target in Target} for outcome in entry.of(kind)] for kind in KINDS}
    return {"examples": entry.examples, **lists}
