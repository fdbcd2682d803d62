"""Reads what a fixture expects of the linter and of verification from the comments on its lines.

A comment ``# TTR103@17: compile, fullgraph`` says: a finding with this code is reported on this line, at this 1-based
column (optional), and torch 2.13.0 breaks there for exactly these targets. ``none`` in place of the targets: flagged,
but no target breaks. No targets at all: only the linter is asked. Several expectations are separated by ``;``.
``# OPTIONS: ...`` and ``# FIXTURE: static`` before the first statement are options for flake8, and the mark of a file
that is not to be run.
"""

from __future__ import annotations

import re
import shlex
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flake8_torchtrace.model import Target

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"

APART = frozenset({"dynamic", "hostile", "lost", "recorded", "ready"})
"""Folders whose files expect something else, of which tests of their own ask."""

_COMMENT = re.compile(r"#\s*(TTR\d{3}\b.*)$")
_ONE = re.compile(r"(?P<code>TTR\d{3})(?:@(?P<column>\d+))?(?:\s*:\s*(?P<targets>[a-z, -]+))?")
_HEADER = re.compile(r"#\s*(OPTIONS|FIXTURE):\s*(.*)$")
_BEFORE_CODE = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING})


@dataclass(frozen=True)
class Expectation:
    """One expected finding: ``column`` 1-based or None if not checked, ``targets`` that break or None if not asked."""

    column: int | None
    targets: frozenset[Target] | None


def expectations(path: Path) -> dict[tuple[int, str], Expectation]:
    """Every expected finding of a fixture by (line, code); ValueError where a comment cannot be read."""
    found: dict[tuple[int, str], Expectation] = {}
    for line, comment in _comments(path):
        match = _COMMENT.search(comment)
        for part in match[1].split(";") if match else ():
            code, expectation = _parse(part.strip(), f"{path}:{line}")
            if (line, code) in found:
                raise ValueError(f"{path}:{line}: {code} is expected twice on one line; give each its own line")
            found[line, code] = expectation
    return found


def options(path: Path) -> list[str]:
    """The flake8 options the fixture asks for in its ``# OPTIONS:`` lines."""
    return [word for text in _header(path, "OPTIONS") for word in shlex.split(text)]


def is_static(path: Path) -> bool:
    """Whether the fixture is only linted, never run."""
    return "static" in _header(path, "FIXTURE")


def folders_to_run() -> list[str]:
    """The folders whose fixtures say what torch makes of them."""
    return sorted(path.name for path in FIXTURES.iterdir() if path.is_dir() and path.name not in APART | {"static"})


def fixture_files(*folders: str) -> list[Path]:
    """The fixtures of these folders of ``fixtures/``, sorted."""
    return sorted(path for folder in folders for path in (FIXTURES / folder).glob("*.py"))


def _parse(text: str, where: str) -> tuple[str, Expectation]:
    match = _ONE.fullmatch(text)
    if not match:
        raise ValueError(f"{where}: cannot read the expectation {text!r}; write e.g. TTR103@17: compile, fullgraph")
    column = int(match["column"]) if match["column"] else None
    return match["code"], Expectation(column, _targets(match["targets"], where))


def _targets(text: str | None, where: str) -> frozenset[Target] | None:
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if names == ["none"]:
        return frozenset()
    known = {target.value: target for target in Target}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{where}: unknown target {unknown[0]!r}; the targets are {', '.join(known)} or none")
    return frozenset(known[name] for name in names)


def _header(path: Path, key: str) -> list[str]:
    texts = []
    for token in _tokens(path):
        if token.type not in _BEFORE_CODE:
            break
        match = _HEADER.match(token.string)
        if match and match[1] == key:
            texts.append(match[2].strip())
    return texts


def _comments(path: Path) -> Iterator[tuple[int, str]]:
    return ((token.start[0], token.string) for token in _tokens(path) if token.type == tokenize.COMMENT)


def _tokens(path: Path) -> tuple[tokenize.TokenInfo, ...]:
    with tokenize.open(path) as file:
        return tuple(tokenize.generate_tokens(file.readline))
