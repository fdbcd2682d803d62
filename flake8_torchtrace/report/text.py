"""Lines as flake8 prints them, one for each finding, with the calls on which torch broke."""

from __future__ import annotations

from flake8_torchtrace.report.content import Content, Item


def write(content: Content) -> str:
    """One line for each finding; nothing if there is none."""
    return "".join(f"{line(item)}\n" for item in content.items)


def line(item: Item) -> str:
    """``path:line:column: CODE message [verdict]``, and the way to where torch broke if that is in another function."""
    span = item.finding.span
    return one_line(f"{item.path}:{span.line}:{span.column + 1}: {item.finding.code} {item.message}{_way(item)}")


def _way(item: Item) -> str:
    places = [f"{path}:{line} {function}" for path, line, function in item.stack]
    return f" (by way of {' > '.join(places)})" if len(places) > 1 else ""


def one_line(message: str) -> str:
    """``message`` without line ends and other control characters."""
    return "".join(character if character.isprintable() else " " for character in message)
