"""Small projects in a folder, linted with their index."""

from __future__ import annotations

import ast
import sqlite3
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flake8_torchtrace.model import Finding
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.index.reader import Reader
from flake8_torchtrace.source.index.update import update

IMPORTS = "import torch\nfrom torch import nn\n"


@dataclass(frozen=True)
class Tree:
    """A project in the folder ``root``."""

    root: Path

    def write(self, files: Mapping[str, str]) -> None:
        """Write files; those that do not begin with ``#`` get the imports of torch in front."""
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            body = textwrap.dedent(text)
            path.write_text(body if body.lstrip().startswith("#") else IMPORTS + body, encoding="utf-8")

    def index(self) -> Path:
        """Bring the index up to date; the path of its file."""
        return Path(update(str(self.root), ()))

    def findings(self, name: str) -> list[Finding]:
        """What is found in one file, with an index that is up to date."""
        path = self.root / name
        text = path.read_text(encoding="utf-8")
        reader = Reader(str(self.index()), str(self.root))
        return find(str(path), ast.parse(text), text.splitlines(keepends=True), LintSettings(), reader.project_for(str(path)))

    def found(self, name: str) -> list[tuple[str, str]]:
        """``(code, source line)`` of what is found in one file."""
        lines = (self.root / name).read_text(encoding="utf-8").splitlines()
        return [(finding.code, lines[finding.span.line - 1].strip()) for finding in self.findings(name)]

    def answers(self) -> set[tuple[str, str, str]]:
        """The questions in the index, where they were answered, and the answers."""
        return {(text, module, value) for text, module, value in self._rows("SELECT text, module, value FROM question")}

    def entries(self) -> set[tuple[str, str, str, str]]:
        """What the index says to be traced from elsewhere: module, question, chain and owner."""
        rows = self._rows("SELECT entry.module, text, chain, owner FROM entry JOIN question ON question.id = question")
        return {(module, text, chain, owner) for module, text, chain, owner in rows}

    def _rows(self, query: str) -> list[Any]:
        connection = sqlite3.connect(self.index())
        try:
            return connection.execute(query).fetchall()
        finally:
            connection.close()
