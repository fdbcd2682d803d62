"""Which findings an audit lets pass, and the exit status that follows."""

from __future__ import annotations

from flake8_torchtrace.report.content import Level

GATES = (Level.POSSIBLE, Level.LIKELY, Level.CONFIRMED)
_ORDER = list(Level)

PASSED, FAILED, NOT_DONE, INTERRUPTED = 0, 1, 2, 130


def fails(level: Level, fail_on: Level) -> bool:
    """Whether a finding of ``level`` that no baseline knows fails the audit. What torch dismissed never does."""
    return level in GATES and _ORDER.index(level) >= _ORDER.index(fail_on)
