"""Which files an audit looks at: those that flake8 would."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from flake8.discover_files import expand_paths

from flake8_torchtrace.usage import UsageError


def python_files(paths: Sequence[str], options: argparse.Namespace) -> list[str]:
    """The files under ``paths``, each once, sorted. Raises UsageError for a path that is not there."""
    for path in paths:
        if not os.path.exists(path):
            raise UsageError(f"there is no file or folder {path}")
    found = expand_paths(
        paths=list(paths),
        stdin_display_name=options.stdin_display_name,
        filename_patterns=options.filename,
        exclude=(*options.exclude, *options.extend_exclude),
    )
    once = {os.path.realpath(path): path for path in sorted(map(os.path.normpath, found), reverse=True)}
    return sorted(once.values())


def common_folder(paths: Sequence[str]) -> str | None:
    """The folder that holds all of ``paths``; None where that is the whole machine."""
    folders = [path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.realpath, paths)]
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # different drives
        return None
    return None if os.path.dirname(common) == common else common


def shown(path: str) -> str:
    """``path`` with slashes, relative to the current directory if it lies there."""
    relative = os.path.relpath(path)
    kept = os.path.abspath(path) if relative.split(os.sep)[0] == os.pardir else relative
    return kept.replace(os.sep, "/")
