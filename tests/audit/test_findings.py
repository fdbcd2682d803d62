"""An audit that is run again looks only at what changed since."""

from __future__ import annotations

import ast
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from test_audit import LIKELY, audit

from flake8_torchtrace.audit.findings import Findings
from flake8_torchtrace.model import Finding
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.index.access import Index
from flake8_torchtrace.source.project import NO_PROJECT, Project

Write = Callable[..., Path]
TEXT = f"import torch\nfrom torch import nn\n{LIKELY}"


class Asked:
    """Looks at files, and knows how often it did."""

    def __init__(self, place: Path, index: Index | None = None) -> None:
        self.number = 0
        self._findings = Findings(str(place), index, self._find)

    def _find(self, path: str, tree: ast.Module, lines: Sequence[str], settings: LintSettings, project: Project) -> list[Finding]:
        self.number += 1
        return find(path, tree, lines, settings, project)

    def find(self, text: str = TEXT, path: str = "net.py", settings: LintSettings | None = None) -> list[Finding]:
        lines = text.splitlines(keepends=True)
        return self._findings.find(path, ast.parse(text), lines, settings or LintSettings(), NO_PROJECT)


def test_what_did_not_change_is_not_looked_at_again(tmp_path: Path) -> None:
    first, second = Asked(tmp_path), Asked(tmp_path)
    found = first.find()
    assert found
    assert second.find() == found
    assert second.find("import torch\n", "other.py") == []
    assert Asked(tmp_path).find("import torch\n", "other.py") == []
    assert (first.number, second.number) == (1, 1)


def test_whatever_decides_counts(tmp_path: Path) -> None:
    made = tmp_path / "index.sqlite3"
    made.write_text("1")
    index = Index(str(tmp_path), str(made))
    Asked(tmp_path, index).find()
    asked = Asked(tmp_path, index)
    asked.find()
    assert asked.number == 0
    asked.find(settings=LintSettings(possible=True))
    asked.find(TEXT + "# changed\n")
    asked.find(path="moved.py")
    assert asked.number == 3
    made.write_text("22")
    changed = Asked(tmp_path, index)
    changed.find(path="moved.py")
    assert changed.number == 1


@pytest.mark.parametrize("damage", ["no database", "an altered row"])
def test_what_is_damaged_is_not_believed(tmp_path: Path, damage: str) -> None:
    found = Asked(tmp_path).find()
    file = tmp_path / "findings.sqlite3"
    if damage == "no database":
        file.write_bytes(b"\0" * 100_000)
    else:
        with sqlite3.connect(file) as connection:
            connection.execute("UPDATE finding_1 SET value = replace(value, 'likely', 'surely')")
        connection.close()
    asked = Asked(tmp_path)
    assert asked.find() == found
    assert asked.find() == found
    assert asked.number == 1


def test_where_nothing_can_be_kept_it_looks_every_time(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    asked = Asked(tmp_path / "in the way")
    assert asked.find() == asked.find()
    assert asked.number == 2


def test_an_audit_keeps_what_it_found(write: Write) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    first = audit(folder, ".")
    kept = folder / ".torchtrace" / "findings.sqlite3"
    with sqlite3.connect(kept) as connection:
        connection.execute("UPDATE finding_1 SET value = replace(value, 'breaks the graph', 'as it was kept')")
        assert connection.execute("SELECT path FROM finding_1").fetchall() == [("net.py",)]
    connection.close()
    assert audit(folder, ".").stdout == first.stdout.replace("breaks the graph", "as it was kept") != first.stdout
    assert audit(folder, ".", "--no-store").stdout == first.stdout
