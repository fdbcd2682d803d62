"""What a recording can be asked for, by pytest's options and by those of ``torchtrace run``. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

FAIL_ON = ("possible", "likely", "confirmed")
DEFAULT_CALLS = 2


def add(add_option: Callable[..., Any], prefix: str) -> None:
    """Add the options with ``prefix`` before their names."""
    add_option(f"--{prefix}fail-on", choices=FAIL_ON, default=None, help="fail for a finding of at least this weight (default: none does)")
    add_option(
        f"--{prefix}calls", type=_number, default=DEFAULT_CALLS, metavar="N",
        help=f"verify at most N calls of a class, each with another kind of input (default: {DEFAULT_CALLS})",
    )  # fmt: skip
    add_option(f"--{prefix}packages", default="", metavar="NAMES", help="installed packages that are looked at like the project's own files")


def names(text: str) -> tuple[str, ...]:
    """The items of a list with commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number
