"""The section ``[tool.torchtrace.ready]`` as text, and pyproject.toml with it: all else in the file stays as it is."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

from flake8_torchtrace.ready.promises import SYNTHESISED
from flake8_torchtrace.usage import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HEADER = "[tool.torchtrace.ready]"
_HEADER = re.compile(r"^[ \t]*\[[ \t]*tool[ \t]*\.[ \t]*torchtrace[ \t]*\.[ \t]*ready[ \t]*\][ \t]*(?:#.*)?$", re.MULTILINE)
_NEXT = re.compile(r"^[ \t]*\[", re.MULTILINE)


def lines(promises: Mapping[str, Sequence[str]], synthesised: Container[str] = ()) -> str:
    """A line for each class: ``"package.module.Net" = ["export"]``. ``synthesised`` are those whose inputs nobody wrote."""
    return "".join(f"{json.dumps(name)} = {_value(words, name in synthesised)}\n" for name, words in promises.items())


def _value(words: Sequence[str], is_synthesised: bool) -> str:
    listed = json.dumps(words[0]) if len(words) == 1 else f"[{', '.join(map(json.dumps, words))}]"
    return f'{{ promises = {listed}, inputs = "{SYNTHESISED}" }}' if is_synthesised else listed


def added(text: str, new: str) -> str:
    """The text of a pyproject.toml with ``new`` lines, at the end of the section if there is one. Raises UsageError."""
    before = tomllib.loads(text)
    header = _HEADER.search(text)
    if header is None:
        made = f"{text.rstrip()}\n\n{HEADER}\n{new}".lstrip()
    else:
        following = _NEXT.search(text, header.end())
        made = _inserted(text, header.end(), len(text) if following is None else following.start(), new)
    _check(before, made, new)
    return made


def _inserted(text: str, start: int, end: int, new: str) -> str:
    """``text`` with ``new`` after the last entry between ``start`` and ``end``: comments below it belong to what follows."""
    body = text[start:end].splitlines(keepends=True)
    last = max((number for number, line in enumerate(body) if line.strip() and not line.lstrip().startswith("#")), default=0)
    head, rest = "".join(body[: last + 1]), "".join(body[last + 1 :])
    return f"{text[:start]}{head if head.endswith(chr(10)) else head + chr(10)}{new}{rest}{text[end:]}"


def _check(before: dict[str, Any], made: str, new: str) -> None:
    """Raises UsageError if the text does not say what was there before and what is new, and nothing else."""
    wanted = before
    for key in ("tool", "torchtrace", "ready"):
        wanted = wanted.setdefault(key, {})
    wanted.update(tomllib.loads(new))
    try:
        is_right = tomllib.loads(made) == before
    except tomllib.TOMLDecodeError:
        is_right = False
    if not is_right:
        raise UsageError("--propose: this pyproject.toml is written in a way that the section cannot be added to: put in yourself what is printed")


def write(file: Path, new: str) -> None:
    """Add the lines ``new`` to the section in ``file``. Raises UsageError."""
    try:
        with open(file, encoding="utf-8", newline="") as stream:
            text = stream.read()
        ending = "\r\n" if "\r\n" in text else "\n"
        made = added(text.replace("\r\n", "\n"), new)
        with open(file, "w", encoding="utf-8", newline="") as stream:
            stream.write(made.replace("\n", ending))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--propose: cannot write {file}: {error}") from error
