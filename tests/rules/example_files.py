"""Turns the examples of the rules into files that can be linted and run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flake8_torchtrace.model import ALL_TARGETS, Confidence, Family, Finding, Span, Target
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.rule import Example, Rule
from flake8_torchtrace.source.rules import all_rules

IMPORTS = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"


@dataclass(frozen=True)
class Case:
    """One example of a rule."""

    rule: Rule
    example: Example
    name: str

    def write(self, folder: Path) -> Path:
        """The example as a file with imports and a ``make()``."""
        example = self.example
        make = f"\n\ndef make():\n    return Net(), ({example.inputs},), {{}}\n"
        path = folder / f"{self.name.replace('-', '_')}.py"
        path.write_text(f"{IMPORTS}{example.imports}\n{example.code.rstrip()}\n{make}", encoding="utf-8")
        return path


def cases(kind: str) -> list[Case]:
    """Every ``bad`` or ``good`` example of every rule."""
    return [
        Case(rule, example, f"{rule.code}-{kind}-{number}")
        for rule in all_rules()
        for number, example in enumerate(getattr(rule, kind), 1)
    ]


class AnOlderTorch:
    """Breaks what the rules about older torch say, and all else as the torch that the rules describe."""

    version = "an older one"

    def may_break(self, code: str) -> bool:
        """It may."""
        return True

    def breaks(self, code: str, claimed: frozenset[Target], name: str) -> frozenset[Target]:
        """The claim, or where there is none that of older torch."""
        return claimed or next(rule.legacy_targets for rule in all_rules() if rule.code == code)


def findings(path: Path, settings: LintSettings | None = None) -> list[Finding]:
    """What the linter says of a file; without ``settings`` with those of a user who sets nothing."""
    text = path.read_text(encoding="utf-8")
    return find(str(path), ast.parse(text), text.splitlines(keepends=True), settings or LintSettings())


def claims(case: Case, path: Path) -> list[Finding]:
    """What the rule of ``case`` says of it, on the torch that the rule is about."""
    settings = LintSettings() if case.rule.targets else LintSettings(torch=AnOlderTorch())
    return [finding for finding in findings(path, settings) if finding.code == case.rule.code]


def probe(path: Path) -> Finding:
    """A claim that nobody makes: that the first statement of ``forward`` breaks. Torch must dismiss it."""
    (forward,) = _forwards(ast.parse(path.read_text(encoding="utf-8")))
    first = forward.body[0]
    span = Span(first.lineno, first.col_offset, first.end_lineno or 0, first.end_col_offset or 0)
    return Finding(
        "TTR999", "probe", str(path), span, span, "a claim", Confidence.LIKELY, Family.INTERNAL, ALL_TARGETS, "Net.forward", "Net"
    )


def _forwards(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for cls in tree.body:
        if isinstance(cls, ast.ClassDef) and cls.name == "Net":
            yield from (node for node in cls.body if isinstance(node, ast.FunctionDef) and node.name == "forward")
