"""The settings of an audit are flake8's: its command line, its config file, its plugins and pyproject.toml, read by flake8 itself."""

from __future__ import annotations

import argparse
import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass

from flake8.exceptions import Flake8Exception
from flake8.options.parse_args import parse_args

from flake8_torchtrace.run import Run
from flake8_torchtrace.usage import UsageError

# What flake8 knows by the same name, with how its value is spelled in the help; None for a switch.
SHARED = {
    "config": "FILE",
    "append-config": "FILE",
    "isolated": None,
    "exclude": "PATTERNS",
    "extend-exclude": "PATTERNS",
    "filename": "PATTERNS",
    "select": "CODES",
    "extend-select": "CODES",
    "ignore": "CODES",
    "extend-ignore": "CODES",
    "per-file-ignores": "PAIRS",
    "disable-noqa": None,
    "jobs": "N",
}
# The options of the plugin, which are here without their prefix too.
OWN = {
    "verify": None,
    "python": "PATH",
    "methods": "NAMES",
    "possible": None,
    "targets": "TARGETS",
    "torch": "VERSION",
    "keep-dismissed": None,
    "timeout": "SECONDS",
    "recipes": "FILE",
    "inputs": "SOURCES",
    "project": "DIR",
    "dynamic": None,
    "no-replay": None,
    "no-store": None,
}
REPEATED = ("python",)


@dataclass(frozen=True)
class Settings:
    """``arguments`` are for flake8 and survive a trip to another process; ``project`` is followed where flake8's settings name none."""

    arguments: tuple[str, ...]
    project: str | None = None


def arguments(options: argparse.Namespace) -> tuple[str, ...]:
    """The options that are flake8's, as flake8 takes them."""
    found: list[str] = []
    for prefix, names in (("", SHARED), ("torchtrace-", OWN)):
        for name, metavar in names.items():
            value = getattr(options, name.replace("-", "_"))
            if metavar is None and value:
                found.append(f"--{prefix}{name}")
            elif metavar is not None and value is not None:
                found += [f"--{prefix}{name}={item}" for item in (value if name in REPEATED else [value])]
    return tuple(found)


def begin(settings: Settings) -> tuple[argparse.Namespace, Run]:
    """Flake8's settings and the run that they make. Raises UsageError for a mistake in them."""
    from flake8_torchtrace.plugin import Plugin

    options = _parsed(settings.arguments)
    run = Plugin.current
    if settings.project is not None and run.index is None:
        run.follow(settings.project)
    return options, run


def _parsed(given: Sequence[str]) -> argparse.Namespace:
    told = io.StringIO()
    try:
        with contextlib.redirect_stderr(told):
            options: argparse.Namespace = parse_args(list(given))[1]
    except SystemExit as error:
        last = (told.getvalue().strip().splitlines() or [f"flake8 ended with status {error.code}"])[-1]
        text = last.partition("error: ")[2] or last
        raise UsageError(text.removeprefix("flake8-torchtrace: ")) from error
    except Flake8Exception as error:
        raise UsageError(f"flake8: {' '.join(str(error).split())}") from error
    return options
