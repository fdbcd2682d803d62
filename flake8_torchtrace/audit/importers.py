"""Which files import others, read from their import lines without running them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from flake8_torchtrace.inputs.importing import dotted_name

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)|import[ \t]+([^\n#;]+))", re.MULTILINE)


def importers(changed: Iterable[str], files: Iterable[str]) -> set[str]:
    """Those of ``files`` (real paths) that import one of ``changed``, or import a file that does."""
    names = {path: dotted_name(path) for path in {*files, *changed} if path.endswith(".py")}
    users: dict[str, set[str]] = {}
    for path in files:
        for name in _imported(path, names.get(path, ("", ""))[1]):
            users.setdefault(name, set()).add(path)
    found: set[str] = set()
    waiting = [path for path in changed if path in names]
    while waiting:
        path = waiting.pop()
        new = users.get(names[path][1], set()) - found
        found |= new
        waiting.extend(new)
    return found


def _imported(path: str, own: str) -> Iterator[str]:
    """Names of modules that ``path`` may import; some of them are of what is in a module."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return
    package = own if os.path.basename(path) == "__init__.py" else own.rpartition(".")[0]
    for match in _IMPORT.finditer(text):
        origin, picked, plain = match.groups()
        if plain is not None:
            for name in _names(plain):
                yield from _with_parents(name)
            continue
        base = _absolute(origin, package)
        yield from _with_parents(base)
        for name in _names(picked):
            yield f"{base}.{name}" if base else name


def _names(listed: str) -> list[str]:
    return [words[0] for part in listed.strip("()").split(",") if (words := part.split("#")[0].split())]


def _absolute(origin: str, package: str) -> str:
    name = origin.lstrip(".")
    level = len(origin) - len(name)
    if not level:
        return name
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - level + 1]
    return ".".join([*kept, *([name] if name else [])])


def _with_parents(name: str) -> Iterator[str]:
    """``a.b.c``, ``a.b`` and ``a``: importing the first runs all."""
    while name:
        yield name
        name = name.rpartition(".")[0]
