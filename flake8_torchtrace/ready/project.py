"""The project at the current directory: where it is, its settings, what it promises."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flake8_torchtrace.config import DEFAULT_TIMEOUT
from flake8_torchtrace.folder import NAME
from flake8_torchtrace.pyproject import ConfigError, read_table
from flake8_torchtrace.ready.blame import Blame
from flake8_torchtrace.ready.collect import Promised, collect, make_names, marked_files
from flake8_torchtrace.ready.names import Names
from flake8_torchtrace.ready.table import Entry, read_entries
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify import VerifySettings


@dataclass(frozen=True)
class Project:
    """``folder`` holds pyproject.toml, or is the current directory; ``entries`` are of its table."""

    folder: str
    file: Path | None
    table: dict[str, Any]
    entries: tuple[Entry, ...]

    @property
    def names(self) -> Names:
        """Names as its code has them."""
        return make_names(self.folder)

    @property
    def blame(self) -> Blame:
        """Whose lines are the user's."""
        return Blame(self.folder)

    def promised(self, wanted: Sequence[str] = ()) -> list[Promised]:
        """What it promises; with ``wanted``, dotted names, files and folders, of those only. Raises UsageError."""
        paths = [item for item in wanted if os.path.exists(item)]
        is_all_paths = bool(wanted) and len(paths) == len(wanted)
        found = collect(self.entries, self.names, marked_files(paths if is_all_paths else [self.folder, *paths]))
        if not wanted:
            return found
        for item in wanted:
            if not any(_is_meant(promised, item) for promised in found) and not os.path.exists(item):
                raise UsageError(f"nothing is promised of {item}{_listed(found)}")
        return [promised for promised in found if any(_is_meant(promised, item) for item in wanted)]


def read_project() -> Project:
    """The project at the current directory. Raises UsageError."""
    try:
        table, file = read_table(Path.cwd())
        entries = read_entries(table["ready"], file) if "ready" in table and file is not None else ()
    except ConfigError as error:
        raise UsageError(str(error)) from error
    return Project(str(Path.cwd() if file is None else file.parent), file, table, entries)


def settings_of(project: Project, options: argparse.Namespace) -> VerifySettings:
    """What the verification needs to know: the command line over pyproject.toml. Raises UsageError."""
    if options.timeout is not None and not 0 < options.timeout < float("inf"):
        raise UsageError(f"--timeout: the time limit must be a positive number of seconds, not {options.timeout:g}")
    given = options.recipes
    if given is None and "recipes" in project.table:
        given = os.path.join(project.folder, project.table["recipes"])
    if given is not None and not os.path.isfile(given):
        where = "--recipes" if options.recipes is not None else f"{project.file}: [tool.torchtrace] recipes"
        raise UsageError(f"{where}: there is no file {given}")
    seconds = options.timeout if options.timeout is not None else float(project.table.get("timeout", DEFAULT_TIMEOUT))
    store = None if options.no_store or project.table.get("no-store", False) else os.path.join(project.folder, NAME)
    python = shutil.which(options.python)
    if python is None:
        raise UsageError(f"--python: there is no program {options.python}")
    return VerifySettings(timeout=seconds, recipes=None if given is None else os.path.realpath(given), python=python, store=store)


def _is_meant(promised: Promised, wanted: str) -> bool:
    real = os.path.realpath(wanted)
    path = promised.place.path
    return promised.name == wanted or promised.name.startswith(f"{wanted}.") or path == real or path.startswith(real + os.sep)


def _listed(found: Sequence[Promised]) -> str:
    names = [promised.name for promised in found]
    return f"; there are promises of {', '.join(names[:5])}{' ...' if names[5:] else ''}" if names else "; nothing is promised at all"
