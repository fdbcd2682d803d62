"""All codes at a glance: a list for the terminal, tables for the documentation."""

from __future__ import annotations

from collections.abc import Sequence

from flake8_torchtrace.explain.page import what
from flake8_torchtrace.explain.topics import Topic
from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons.entries import broken
from flake8_torchtrace.reasons.gate import REFERENCE
from flake8_torchtrace.reasons.tables import Table, current
from flake8_torchtrace.source.rule import Rule

_HEAD = ("compile", "fullgraph", "strict export", "non-strict export")
_BREAKS, _IN_PART, _SURVIVES = "breaks", "in part", ""


def listing(rules: Sequence[Rule], topics: Sequence[Topic]) -> str:
    """Every code with its name and a phrase, for a terminal."""
    rows = [(rule.code, rule.name, what(rule)) for rule in rules]
    rows += [(topic.code, topic.name, "retired" if topic.is_retired else topic.summary) for topic in topics]
    width = max(len(name) for _, name, _ in rows)
    return "".join(f"{code}  {name:<{width}}  {phrase}\n" for code, name, phrase in sorted(rows))


def rules_table(rules: Sequence[Rule], tables: Sequence[Table], folder: str = "docs/rules/") -> str:
    """The rules as a Markdown table, with what torch 2.13.0 does; ``folder`` is where the pages are, seen from the reader."""
    lines = [f"| Code | Name | What | {' | '.join(_HEAD)} |", "|-|-|-|" + "-|" * len(_HEAD)]
    for rule in rules:
        cells = [f"[{rule.code}]({folder}{rule.code}.md)", rule.name, f"{what(rule)}{_only(rule, tables)}", *_cells(rule, tables)]
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def index_page(rules: Sequence[Rule], topics: Sequence[Topic], tables: Sequence[Table]) -> str:
    """The page ``docs/rules/README.md``."""
    other = [f"| [{topic.code}]({topic.code}.md) | {topic.name} | {topic.summary} |" for topic in topics if not topic.is_retired]
    retired = [f"| [{topic.code}]({topic.code}.md) | {topic.name} | retired |" for topic in topics if topic.is_retired]
    parts = [
        "# The codes",
        f"What the rules report, and what their examples do on torch {REFERENCE} (CPU): `{_BREAKS}` where every example of the rule\n"
        f"breaks the graph or is refused, `{_IN_PART}` where some do. What they do on other versions stands on each rule's page.",
        rules_table(rules, tables, "").rstrip(),
        "Codes that are not a rule's:",
        "\n".join(["| | what | |", "|-|-|-|", *other, *retired]),
        "These pages are written by `torchtrace explain --write docs/rules`.",
    ]
    return "\n\n".join(parts) + "\n"


def _cells(rule: Rule, tables: Sequence[Table]) -> list[str]:
    entry = next((current(table, rule) for table in tables if table.torch == REFERENCE), None)
    if entry is None:
        return [_BREAKS if target in rule.targets else _SURVIVES for target in Target]
    outcomes = [broken(outcome) for outcome in entry.bad]
    counts = [sum(target in outcome for outcome in outcomes) for target in Target]
    return [_BREAKS if count == len(outcomes) else _IN_PART if count else _SURVIVES for count in counts]


def _only(rule: Rule, tables: Sequence[Table]) -> str:
    """For a rule that is about other versions than the reference: about which."""
    if rule.targets:
        return ""
    entries = [(table.torch, current(table, rule)) for table in tables]
    found = [torch for torch, entry in entries if entry is not None and any(map(broken, entry.bad))]
    return f" (only torch {', '.join(found)})" if found else ""
