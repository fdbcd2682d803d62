"""Families of break reasons: what would mend the break, told from torch's own text."""

from __future__ import annotations

import re

from .registry import first_line

_NO_BREAK = re.compile(r"because no content in function call|No ops traced for the FX graph|not enough guards")


def is_no_break(text: str) -> bool:
    """Whether a skipped frame is no break: there was nothing in it to compile."""
    return bool(_NO_BREAK.search(text))


def cost_of(text: str) -> str:
    """What a frame that was given up cost, with the construct that made torch give it up where the text names it."""
    if re.search(r"graph break in (a for/while )?loop", text):
        return "whole frame skipped: graph break in a loop"
    return "whole frame skipped"


def family_of(text: str, exception: str = "") -> str:
    """The family key of a reason."""
    return "unclassified" if first_line(text) or exception else "unclassified"
