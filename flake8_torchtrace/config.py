"""Settings: the command line over flake8's config file over ``[tool.torchtrace]`` in pyproject.toml."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flake8_torchtrace.model import Target

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEFAULT_TIMEOUT = 60.0
_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)*(?:(?:a|b|rc)\d+|\.dev\d+|\.post\d+)*(?:\+.*)?", re.ASCII)


class ConfigError(Exception):
    """A mistake in the configuration, in words for the user."""


@dataclass(frozen=True)
class Config:
    """``timeout`` in seconds per target; ``recipes`` and ``project`` absolute paths or None."""

    methods: tuple[str, ...] = ()
    possible: bool = False
    targets: tuple[Target, ...] = tuple(Target)
    torch: str | None = None
    verify: bool = False
    keep_dismissed: bool = False
    timeout: float = DEFAULT_TIMEOUT
    recipes: str | None = None
    project: str | None = None


_TABLE_KEYS: dict[str, type | tuple[type, ...]] = {
    "methods": list,
    "possible": bool,
    "targets": list,
    "torch": str,
    "keep-dismissed": bool,
    "timeout": (int, float),
    "recipes": str,
    "project": str,
}


def read_table(start: Path) -> tuple[dict[str, Any], Path | None]:
    """The ``[tool.torchtrace]`` table of the nearest pyproject.toml at or above ``start``, and that file.

    Raises:
        ConfigError: the file cannot be read, or the table has a key or a value that it cannot have.
    """
    for folder in (start, *start.parents):
        file = folder / "pyproject.toml"
        if file.is_file():
            return _checked_table(file), file
    return {}, None


def _checked_table(file: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {file}: {error}") from error
    tool = document.get("tool", {})
    table = tool.get("torchtrace", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: [tool.torchtrace] must be a table")
    for key, value in table.items():
        _check_entry(file, key, value)
    return table


def _check_entry(file: Path, key: str, value: object) -> None:
    if key == "verify":
        raise ConfigError(
            f"{file}: [tool.torchtrace] cannot switch verification on, because it runs the code of the repository; "
            "pass --torchtrace-verify on the command line"
        )
    wanted = _TABLE_KEYS.get(key)
    if wanted is None:
        close = difflib.get_close_matches(key, _TABLE_KEYS, 1)
        hint = f"; did you mean {close[0]}?" if close else f"; known keys: {', '.join(_TABLE_KEYS)}"
        raise ConfigError(f"{file}: [tool.torchtrace] has no key {key!r}{hint}")
    is_number_from_bool = isinstance(value, bool) and wanted is not bool
    if not isinstance(value, wanted) or is_number_from_bool or (isinstance(value, list) and not all(isinstance(v, str) for v in value)):
        names = {list: "a list of strings", bool: "true or false", str: "a string"}
        expected = names[wanted] if isinstance(wanted, type) else "a number of seconds"
        raise ConfigError(f"{file}: [tool.torchtrace] {key} must be {expected}, not {value!r}")


def merge(options: argparse.Namespace, table: dict[str, Any], file: Path | None) -> Config:
    """The settings in force. Raises `ConfigError` for a value that cannot be used."""
    source = f"{file}: [tool.torchtrace]"
    recipes = _recipes(options.torchtrace_recipes, table, file)
    return Config(
        methods=tuple(options.torchtrace_methods or table.get("methods", ())),
        possible=bool(options.torchtrace_possible or table.get("possible", False)),
        targets=_targets(options.torchtrace_targets, "--torchtrace-targets")
        or _targets(table.get("targets"), f"{source} targets")
        or tuple(Target),
        torch=_torch(options.torchtrace_torch, "--torchtrace-torch") or _torch(table.get("torch"), f"{source} torch"),
        verify=bool(options.torchtrace_verify),
        keep_dismissed=bool(options.torchtrace_keep_dismissed or table.get("keep-dismissed", False)),
        timeout=_timeout(options.torchtrace_timeout, table, f"{source} timeout"),
        recipes=recipes,
        project=_project(options.torchtrace_project, table, file),
    )


def _targets(names: list[str] | None, source: str) -> tuple[Target, ...]:
    found = []
    for name in names or ():
        try:
            found.append(Target(name))
        except ValueError:
            known = ", ".join(target.value for target in Target)
            raise ConfigError(f"{source}: there is no target {name!r}; known targets: {known}") from None
    return tuple(dict.fromkeys(found))


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
