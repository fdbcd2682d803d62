"""What the commands share: mistakes of the user, and codes given on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from pathlib import Path

from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.source.rules import all_rules

_ALIKE = 0.75


class UsageError(Exception):
    """The command cannot do what was asked; the text says why, for the user."""


def load_rules() -> tuple[Rule, ...]:
    """All rules. Raises UsageError if the file of one cannot be loaded, or if one lacks a part."""
    try:
        return all_rules()
    except SyntaxError as error:
        raise UsageError(f"{error.filename}, line {error.lineno}: {error.msg}") from error
    except (ValueError, ImportError, AttributeError, NameError, TypeError) as error:
        raise UsageError(f"{_place(error)}{error}") from error


def _place(error: BaseException) -> str:
    """Where in a rule's file ``error`` was raised, or nothing."""
    place, trace = "", error.__traceback__
    while trace is not None:
        path = Path(trace.tb_frame.f_code.co_filename)
        if path.parent.name == "rules":
            place = f"{path}, line {trace.tb_lineno}: "
        trace = trace.tb_next
    return place


def known_code(text: str, names: Mapping[str, str]) -> str:
    """The code that ``text`` is, in whatever case, or that has the name ``text``; ``names`` is by code.

    Raises:
        UsageError: there is no such code; the text names the closest.
    """
    wanted = text.strip()
    found = next((code for code, name in names.items() if wanted.upper() == code or wanted.lower() == name), None)
    if found is not None:
        return found
    close = _closest(wanted.upper(), list(names)) or _closest(wanted.lower(), list(names.values()))
    hint = f"did you mean {' or '.join(close)}?" if close else "`torchtrace explain` lists all"
    raise UsageError(f"there is no code {text!r}; {hint}")


def _closest(text: str, known: Iterable[str]) -> list[str]:
    ranked = [(SequenceMatcher(None, text, item).ratio(), item) for item in sorted(known)]
    return [item for ratio, item in sorted(ranked, key=lambda pair: -pair[0])[:3] if ratio > _ALIKE]
