"""The page of one code, as Markdown that also reads well in a terminal."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence

from flake8_torchtrace.explain.topics import Topic
from flake8_torchtrace.reasons.entries import Entry, Outcome, broken, is_known
from flake8_torchtrace.reasons.examples import IMPORTS
from flake8_torchtrace.reasons.gate import Gate
from flake8_torchtrace.reasons.show import grouped, names
from flake8_torchtrace.reasons.tables import Table, current
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.rule import Example, Rule

_WIDTH = 100


def topic_page(topic: Topic) -> str:
    """The page of a code that is not a rule's."""
    retired = ["This code is retired: nothing reports it any more, and its number is not used again."] if topic.is_retired else []
    sections = _section("What happened", topic.what) + _section("Why it is told", topic.why) + _section("What to do", topic.do)
    return _joined([f"# {topic.code}: {topic.name}", *retired, *sections])


def rule_page(rule: Rule, tables: Sequence[Table]) -> str:
    """The page of ``rule`` with what its examples did on the torch of each of ``tables``."""
    parts = [f"# {rule.code}: {rule.name}", f"{what(rule)}: {rule.effect}.", f"Family: {rule.family.words}."]
    parts += _section("Why", rule.why)
    parts += _section("Write instead", f"{_capital(rule.instead)}.")
    parts += _section("When it is fine", rule.fine)
    if rule.lost_at_export:
        parts.append(_wrapped(f"Where only export is wanted and export accepts the call, it is reported as {rule.lost_at_export}."))
    torch = torch_of(rule, tables)
    parts += _examples(f"Examples that are reported{f' with --torchtrace-torch {torch}' if torch else ''}", rule.bad, rule, torch)
    parts += _examples("Examples that are not", rule.good)
    parts += _measured(rule, tables)
    return _joined(parts)


def what(rule: Rule) -> str:
    """What the rule looks for: the docstring of its file, without the full stop."""
    text = inspect.getdoc(sys.modules[type(rule).__module__]) or ""
    return " ".join(text.replace("``", "`").split()).rstrip(".")


def torch_of(rule: Rule, tables: Sequence[Table]) -> str | None:
    """For a rule that is about older torch: the first version that breaks its examples. None for any other rule."""
    if rule.targets:
        return None
    return next((table.torch for table in tables if (entry := current(table, rule)) and any(map(broken, entry.bad))), None)


def _examples(title: str, examples: Sequence[Example], rule: Rule | None = None, torch: str | None = None) -> list[str]:
    parts = [f"## {title}"]
    for example in examples:
        imports = f"{example.imports.strip()}\n\n\n" if example.imports else ""
        shown = f"{imports}{example.code.strip()}\n"
        parts.append(f"```python\n{shown}```")
        reports = [] if rule is None else list(_reports(shown, torch))
        parts += ["\n".join(["```text", *reports, "```"])] if reports else []
    return parts


def _reports(shown: str, torch: str | None) -> Iterator[str]:
    """What flake8 prints for an example on ``torch``. The usual imports go below it, so that lines are counted as the reader does."""
    source = f"{shown}{IMPORTS}"
    settings = LintSettings(torch=None if torch is None else Gate(torch))
    for finding in find("net.py", ast.parse(source), source.splitlines(keepends=True), settings):
        yield f"net.py:{finding.span.line}:{finding.span.column + 1}: {finding.code} {finding.message}"


def _measured(rule: Rule, tables: Sequence[Table]) -> list[str]:
    parts = ["## What torch does with them"]
    for number in range(len(rule.bad)):
        if rule.bad[1:]:
            parts.append(f"Reported example {number + 1}:")
        parts.append("\n".join(_outcomes(rule, number, tables)))
    pythons = ", ".join(sorted({f"Python {table.python}" for table in tables}))
    how = f"Recorded by `torchtrace reasons` on CPU with {pythons}."
    return [*parts, _wrapped(f"The examples that are not reported {_good(rule, tables)}. {how}")]


def _outcomes(rule: Rule, number: int, tables: Sequence[Table]) -> Iterator[str]:
    """What became of one bad example; versions in a row with the same outcome share a list."""
    for outcome, same in itertools.groupby(tables, lambda table: _outcome(table, rule, number)):
        yield f"- torch {', '.join(table.torch for table in same)}{'' if outcome else ': not recorded yet'}"
        for targets, told in grouped(outcome) if outcome else ():
            yield f"  - {names(targets)}: {_words(told)}"


def _outcome(table: Table, rule: Rule, number: int) -> Outcome | None:
    entry = current(table, rule)
    return None if entry is None else entry.bad[number]


def _good(rule: Rule, tables: Sequence[Table]) -> str:
    """How the good examples fared, as the end of a sentence."""
    outcomes = {table.torch: entry.good for table in tables if (entry := current(table, rule)) is not None}
    breaking = [torch for torch, good in outcomes.items() if any(map(broken, good))]
    unusable = [torch for torch, good in outcomes.items() if not all(map(is_known, good))]
    troubles = [f"{what} on torch {_and(found)}" for what, found in (("break", breaking), ("cannot be run", unusable)) if found]
    return f"are accepted by all targets{f', but {_and(troubles)}' if troubles else ''}"


def _words(entry: Entry) -> str:
    if "reason" not in entry:
        return entry["status"]
    return f"{entry['status']}, {_quoted(entry['reason'])}" + (f" ({entry['gb_id']})" if "gb_id" in entry else "")


def _quoted(text: str) -> str:
    """``text`` as Markdown code, whatever backticks it holds."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"


def _section(title: str, text: str) -> list[str]:
    return [f"## {title}", _wrapped(text)]


def _wrapped(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _and(items: Sequence[str]) -> str:
    return items[0] if not items[1:] else f"{', '.join(items[:-1])} and {items[-1]}"


def _joined(parts: Sequence[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"
