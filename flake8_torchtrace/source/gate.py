"""Whether a file can hold anything that is traced: the cheap question, asked before all others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# Compiled where it is first used: what only asks for torch does not need it.
_ENTRY = r"\bdef\s+(\w+)|\bcompile\b|\bexport\b|\bcheckpoint\b|\bvmap\b|\bcond\b|\.Module\b"


def mentions_torch(text: str) -> bool:
    """False only if nothing in a file with this text can have to do with torch, unless an index says so."""
    return "torch" in text or ("import *" in text and "nn." in text)


def may_be_traced(lines: Sequence[str], methods: Iterable[str], indexed: bool, orphans: bool = False) -> bool:
    """False only if no line can be traced: no mention of torch, or no entry point and no index that reaches in from outside.

    ``methods`` are the names of entry points (``forward`` and what the user added); ``indexed`` tells that the project index has
    entries for this file; with ``orphans`` any function counts, whoever may call it.
    """
    if indexed:
        return True
    text = "".join(lines)
    if not mentions_torch(text):
        return False
    if orphans:
        return "def " in text
    wanted = set(methods)
    return any(match[1] is None or match[1] in wanted for match in re.finditer(_ENTRY, text))
