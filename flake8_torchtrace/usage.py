"""What the commands share: mistakes of the user, and codes given on the command line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher

_ALIKE = 0.75


class UsageError(Exception):
    """The command cannot do what was asked; the text says why, for the user."""


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
