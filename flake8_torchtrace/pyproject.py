"""The ``[tool.torchtrace]`` table of pyproject.toml. Every run of flake8 comes here, so nothing is imported that it may not need."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class ConfigError(Exception):
    """A mistake in the configuration, in words for the user."""


_TABLE_KEYS: dict[str, type | tuple[type, ...]] = {
    "methods": list,
    "possible": bool,
    "targets": list,
    "torch": str,
    "keep-dismissed": bool,
    "timeout": (int, float),
    "recipes": str,
    "inputs": list,
    "project": str,
    "dynamic": bool,
    "no-replay": bool,
    "no-store": bool,
    "ready": dict,
}


def read_table(start: Path) -> tuple[dict[str, Any], Path | None]:
    """The ``[tool.torchtrace]`` table of the nearest pyproject.toml at or above ``start``, and that file.

    Raises:
        ConfigError: the file cannot be read, or the table has a key or a value that it cannot have.
    """
    file = nearest(start)
    return ({}, None) if file is None else (_checked_table(file), file)


def nearest(start: Path) -> Path | None:
    """The nearest pyproject.toml at or above the folder ``start``."""
    files = (folder / "pyproject.toml" for folder in (start, *start.parents))
    return next((file for file in files if file.is_file()), None)


def _checked_table(file: Path) -> dict[str, Any]:
    document = _document(file)
    tool = document.get("tool", {})
    table = tool.get("torchtrace", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise ConfigError(f"{file}: [tool.torchtrace] must be a table")
    for key, value in table.items():
        _check_entry(file, key, value)
    return table


def _document(file: Path) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"cannot read {file}: {error}") from error


def _check_entry(file: Path, key: str, value: object) -> None:
    if key == "verify":
        raise ConfigError(
            f"{file}: [tool.torchtrace] cannot switch verification on, because it runs the code of the repository; "
            "pass --torchtrace-verify on the command line"
        )
    if key == "python":
        raise ConfigError(
            f"{file}: [tool.torchtrace] cannot name the python that verifies, because that is a program that is run; "
            "pass --torchtrace-python on the command line"
        )
    wanted = _TABLE_KEYS.get(key)
    if wanted is None:
        import difflib

        close = difflib.get_close_matches(key, _TABLE_KEYS, 1)
        hint = f"; did you mean {close[0]}?" if close else f"; known keys: {', '.join(_TABLE_KEYS)}"
        raise ConfigError(f"{file}: [tool.torchtrace] has no key {key!r}{hint}")
    is_number_from_bool = isinstance(value, bool) and wanted is not bool
    if not isinstance(value, wanted) or is_number_from_bool or (isinstance(value, list) and not all(isinstance(v, str) for v in value)):
        names = {list: "a list of strings", bool: "true or false", str: "a string", dict: "a table"}
        expected = names[wanted] if isinstance(wanted, type) else "a number of seconds"
        raise ConfigError(f"{file}: [tool.torchtrace] {key} must be {expected}, not {value!r}")
