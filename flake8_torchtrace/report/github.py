"""Workflow commands that GitHub Actions turns into annotations."""

from __future__ import annotations

from flake8_torchtrace.model import Span
from flake8_torchtrace.report.content import Content, Item, Level

_COMMANDS = {Level.CONFIRMED: "error", Level.LIKELY: "warning"}


def write(content: Content) -> str:
    """One command for each finding and each file that could not be checked."""
    commands = [_item(item) for item in content.items]
    commands += [command("error", item.path, Span(item.line, 0, item.line, 0), "not checked", item.message) for item in content.problems]
    return "".join(f"{command}\n" for command in commands)


def _item(item: Item) -> str:
    finding = item.finding
    name = "error" if item.fails else _COMMANDS.get(item.level, "notice")
    return command(name, item.path, finding.span, f"{finding.code} {finding.rule}", item.message)


def command(name: str, path: str, span: Span, title: str, message: str) -> str:
    """A workflow command: ``name`` is ``error``, ``warning`` or ``notice``."""
    properties = {"file": path, "line": span.line, "endLine": span.end_line}
    if span.line == span.end_line and span.end_column > span.column:  # columns are for one line only
        properties |= {"col": span.column + 1, "endColumn": span.end_column}
    told = ",".join(f"{key}={_property(str(value))}" for key, value in {**properties, "title": title}.items())
    return f"::{name} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
