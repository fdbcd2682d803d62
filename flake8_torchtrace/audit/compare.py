"""What an upgrade from one torch to another changes, from the files that both were asked about."""

from __future__ import annotations

from collections.abc import Sequence

from flake8_torchtrace.audit.check import Checked
from flake8_torchtrace.audit.files import shown
from flake8_torchtrace.report.changes import Change, Comparison, changes
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify.interpreter import InterpreterError, find_interpreter


def compared(checked: Sequence[Checked], pythons: Sequence[str]) -> Comparison | None:
    """The comparison of two interpreters; None if there are not two. Raises UsageError if one does not work any more."""
    if len(pythons) != 2:
        return None
    before, after = pythons
    try:
        torches = find_interpreter(before).torch, find_interpreter(after).torch
    except InterpreterError as error:
        raise UsageError(str(error)) from error
    changed: list[Change] = []
    for file in checked:
        for result in (found.result for found in file.found):
            if result.before is not None and result.verdict is not None:
                changed += changes(shown(file.path), result.finding, result.before, result.verdict)
    return Comparison((before, after), torches, tuple(changed))
