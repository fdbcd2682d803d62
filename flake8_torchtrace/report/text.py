"""Lines as flake8 prints them, one for each finding, with the calls on which torch broke."""

from __future__ import annotations

from collections.abc import Iterator

from flake8_torchtrace.report.changes import Comparison, Kind, told
from flake8_torchtrace.report.content import Content, Item


def write(content: Content) -> str:
    """One line for each finding, then one for each verdict that another torch changes; nothing if there is none."""
    told = map(line, content.items)
    changed = [] if content.comparison is None else _changes(content.comparison)
    return "".join(f"{text}\n" for text in (*told, *changed))


def line(item: Item) -> str:
    """``path:line:column: CODE message [verdict]``, and the way to where torch broke if that is in another function."""
    span = item.finding.span
    return one_line(f"{item.path}:{span.line}:{span.column + 1}: {item.finding.code} {item.message}{_way(item)}")


def _changes(comparison: Comparison) -> Iterator[str]:
    before, after = (f"torch {torch or '?'}" for torch in comparison.torches)
    for change in comparison.changes:
        if change.kind is Kind.REASON or not change.is_of_break:
            continue
        span = change.finding.span
        targets = ", ".join(target.value for target in change.targets)
        was, now = ("; ".join(told(side.values())) for side in (change.before, change.after))
        place = f"{change.path}:{span.line}:{span.column + 1}"
        yield one_line(f"{place}: {change.finding.code} {change.kind.value} from {before} to {after} ({targets}): was {was}; now {now}")


def _way(item: Item) -> str:
    places = [f"{path}:{line} {function}" for path, line, function in item.stack]
    return f" (by way of {' > '.join(places)})" if len(places) > 1 else ""


def one_line(message: str) -> str:
    """``message`` without line ends and other control characters."""
    return "".join(character if character.isprintable() else " " for character in message)
