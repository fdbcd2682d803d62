"""Settings: the command line over flake8's config file over ``[tool.torchtrace]`` in pyproject.toml."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flake8_torchtrace.folder import NAME
from flake8_torchtrace.model import Target
from flake8_torchtrace.pyproject import ConfigError, nearest
from flake8_torchtrace.ready.table import Entry, read_entries

DEFAULT_TIMEOUT = 60.0
INPUTS = ("recipe", "recorded", "synthesised")
_NO = ("0", "false", "no", "off")
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)*(?:(?:a|b|rc)\d+|\.dev\d+|\.post\d+)*(?:\+.*)?", re.ASCII)


@dataclass(frozen=True)
class Config:
    """``timeout`` in seconds per target; ``recipes`` and ``project`` absolute paths or None.

    ``pythons``: absolute paths of the interpreters that verify; none is the one that runs this, two are compared.
    ``ready`` is what classes promise. ``inputs``: where they may come from, the first choice first.
    """

    methods: tuple[str, ...] = ()
    possible: bool = False
    targets: tuple[Target, ...] = tuple(Target)
    torch: str | None = None
    verify: bool = False
    keep_dismissed: bool = False
    timeout: float = DEFAULT_TIMEOUT
    recipes: str | None = None
    project: str | None = None
    no_store: bool = False
    dynamic: bool = False
    replay: bool = True
    pythons: tuple[str, ...] = ()
    ready: tuple[Entry, ...] = ()
    inputs: tuple[str, ...] = INPUTS

    @property
    def store(self) -> str | None:
        """The folder in which answers of torch are kept: beside pyproject.toml, else in the current directory."""
        file = nearest(Path.cwd())
        return None if self.no_store else str((Path.cwd() if file is None else file.parent) / NAME)


def merge(options: argparse.Namespace, table: dict[str, Any], file: Path | None) -> Config:
    """The settings in force. Raises `ConfigError` for a value that cannot be used."""
    source = f"{file}: [tool.torchtrace]"
    if isinstance(options.torchtrace_verify, str) and options.torchtrace_verify.lower() not in _NO:
        raise ConfigError(
            "torchtrace-verify cannot be set in a config file, because it runs the code of the linted files; "
            "give --torchtrace-verify on the command line"
        )
    recipes = _recipes(options.torchtrace_recipes, table, file)
    pythons = _pythons(options.torchtrace_python)
    return Config(
        methods=_methods(options.torchtrace_methods, "--torchtrace-methods") or _methods(table.get("methods"), f"{source} methods"),
        possible=bool(options.torchtrace_possible or table.get("possible", False)),
        targets=_targets(options.torchtrace_targets, "--torchtrace-targets")
        or _targets(table.get("targets"), f"{source} targets")
        or tuple(Target),
        torch=_torch(options.torchtrace_torch, "--torchtrace-torch") or _torch(table.get("torch"), f"{source} torch"),
        verify=options.torchtrace_verify is True or bool(pythons),
        keep_dismissed=bool(options.torchtrace_keep_dismissed or table.get("keep-dismissed", False)),
        timeout=_timeout(options.torchtrace_timeout, table, f"{source} timeout"),
        recipes=recipes,
        dynamic=bool(options.torchtrace_dynamic or table.get("dynamic", False)),
        replay=not (options.torchtrace_no_replay or table.get("no-replay", False)),
        no_store=bool(options.torchtrace_no_store or table.get("no-store", False)),
        project=_project(options.torchtrace_project, table, file),
        pythons=pythons,
        inputs=_inputs(options.torchtrace_inputs, "--torchtrace-inputs") or _inputs(table.get("inputs"), f"{source} inputs") or INPUTS,
        ready=read_entries(table["ready"], file) if "ready" in table and file is not None else (),
    )


def _methods(names: list[str] | None, source: str) -> tuple[str, ...]:
    for name in names or ():
        if not name.isidentifier():
            raise ConfigError(f"{source}: {name!r} is not the name of a method")
    return tuple(names or ())


def _targets(names: list[str] | None, source: str) -> tuple[Target, ...]:
    if names is not None and not any(names):
        raise ConfigError(f"{source}: no target is named; known targets: {', '.join(target.value for target in Target)}")
    found = []
    for name in names or ():
        try:
            found.append(Target(name))
        except ValueError:
            known = ", ".join(target.value for target in Target)
            raise ConfigError(f"{source}: there is no target {name!r}; known targets: {known}") from None
    return tuple(dict.fromkeys(found))


def _inputs(names: list[str] | None, source: str) -> tuple[str, ...]:
    if names is not None and not any(names):
        raise ConfigError(f"{source}: nothing is named; known: {', '.join(INPUTS)}")
    for name in names or ():
        if name not in INPUTS:
            raise ConfigError(f"{source}: inputs cannot come from {name!r}; known: {', '.join(INPUTS)}")
    return tuple(dict.fromkeys(names or ()))


def parse_version(text: str) -> tuple[int, int]:
    """Major and minor of a version of torch such as ``2.13``, ``2.13.1`` or ``2.13.0+cpu``. Raises ValueError."""
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is not a version of torch, such as 2.13 or 2.13.0")
    return int(match[1]), int(match[2])


def _torch(text: str | None, source: str) -> str | None:
    if text is None:
        return None
    try:
        parse_version(text)
    except ValueError as error:
        raise ConfigError(f"{source}: {error}") from None
    return text


def _timeout(given: str | None, table: dict[str, Any], source: str) -> float:
    value = table.get("timeout", DEFAULT_TIMEOUT) if given is None else given
    where = source if given is None else "--torchtrace-timeout"
    try:
        seconds = float(value)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise ConfigError(f"{where}: the time limit must be a positive number of seconds, not {value!r}")
    return seconds


def _recipes(given: str | None, table: dict[str, Any], file: Path | None) -> str | None:
    if given is not None:
        path, where = Path(given), "--torchtrace-recipes"
    elif "recipes" in table and file is not None:
        path, where = file.parent / table["recipes"], f"{file}: [tool.torchtrace] recipes"
    else:
        return None
    if not path.is_file():
        raise ConfigError(f"{where}: there is no file {path}")
    return str(path.resolve())


def _pythons(given: list[str] | str | None) -> tuple[str, ...]:
    if not given:
        return ()
    if isinstance(given, str):
        raise ConfigError(
            "torchtrace-python cannot be set in a config file, because it names a program that is run; give --torchtrace-python on the command line"
        )
    from flake8_torchtrace.verify.interpreter import InterpreterError, locate

    try:
        found = tuple(map(locate, given))
    except InterpreterError as error:
        raise ConfigError(f"--torchtrace-python: {error}") from None
    if len(found) > 2:
        raise ConfigError(f"--torchtrace-python: two interpreters can be compared, not {len(found)}")
    if len(set(found)) < len(found):
        raise ConfigError(f"--torchtrace-python: {given[0]} is named twice")
    return found


def _project(given: str | None, table: dict[str, Any], file: Path | None) -> str | None:
    if given is not None:
        path, where = Path(given), "--torchtrace-project"
    elif "project" in table and file is not None:
        path, where = file.parent / table["project"], f"{file}: [tool.torchtrace] project"
    else:
        return None
    if not path.is_dir():
        raise ConfigError(f"{where}: there is no directory {path}")
    return str(path.resolve())
