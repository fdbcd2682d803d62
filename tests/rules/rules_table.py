"""The table of rules in the README, made from the rules. ``python tests/rules/rules_table.py`` writes it."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path

from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.source.rules import all_rules

README = Path(__file__).resolve().parents[2] / "README.md"
START, END = "<!-- rules: made by tests/rules/rules_table.py -->", "<!-- end of rules -->"


def what(rule: Rule) -> str:
    """What the rule looks for: the docstring of its file."""
    return (inspect.getdoc(sys.modules[type(rule).__module__]) or "").rstrip(".")


def table() -> str:
    """The table in Markdown."""
    rows = [f"| {rule.code} | {rule.name} | {_cell(what(rule))} | {_cell(rule.effect)} |" for rule in all_rules()]
    return "\n".join(["| Code | Name | What | What it does |", "|-|-|-|-|", *rows])


def in_readme() -> str:
    """The table as it stands in the README."""
    text = README.read_text(encoding="utf-8")
    return text.partition(START)[2].partition(END)[0].strip()


def _cell(text: str) -> str:
    return " ".join(text.replace("``", "`").split()).replace("|", r"\|")


def write() -> None:
    """Put the table into the README."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{START}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    write()
