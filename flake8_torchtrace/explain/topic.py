"""What a page about a code without a rule says."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """A code without examples. ``what`` happened, ``why`` it is told, and what to ``do`` about it: sentences."""

    code: str
    name: str
    summary: str
    what: str
    why: str
    do: str
    is_retired: bool = False
