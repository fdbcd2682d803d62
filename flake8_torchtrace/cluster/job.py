"""What a worker needs to check files as the audit itself would."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata

from flake8_torchtrace.audit.settings import Settings
from flake8_torchtrace.source.index.access import Index
from flake8_torchtrace.verify.facts import VARIABLES, of_code
from flake8_torchtrace.verify.launch import PACKAGE

Row = tuple[str, ...]
"""A row of the store of verdicts."""


@dataclass(frozen=True)
class Job:
    """``index``: root and file of the project's index; ``identity``: what a worker must have; ``seconds`` and ``mebibytes``: for one file."""

    settings: Settings
    directory: str
    index: tuple[str, str] | None
    seconds: float
    mebibytes: int
    environment: Mapping[str, str] = field(default_factory=dict)
    identity: Mapping[str, str] = field(default_factory=dict)


def job(settings: Settings, seconds: float, mebibytes: int, index: Index | None) -> Job:
    """The job of an audit that runs here. Every worker runs one child at a time."""
    of_index = None if index is None else (index.root, index.path)
    alone = Settings((*settings.arguments, "--jobs=1"))
    return Job(alone, os.getcwd(), of_index, seconds, mebibytes, _environment(), identity())


def _environment() -> dict[str, str]:
    """The variables that torch and Python listen to."""
    return {name: value for name, value in os.environ.items() if name.startswith(VARIABLES)}


def identity() -> dict[str, str]:
    """What must be the same here and on a worker, so that both say the same."""
    return {
        "Python": platform.python_version(),
        "torch": _version("torch"),
        "flake8": _version("flake8"),
        "flake8-torchtrace": of_code(PACKAGE)[:12],
        "system": sys.platform,
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"
