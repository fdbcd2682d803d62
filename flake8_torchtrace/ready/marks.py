"""Promises that stand in the code: a comment ``# torchtrace: export-ready`` at a class, or ``__torchtrace__`` in its body."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from flake8_torchtrace.ready.outline import ClassOutline, Outline
from flake8_torchtrace.ready.promises import PromiseError, Promises, from_text, from_value

WORD = "torchtrace"
ATTRIBUTE = "__torchtrace__"
_COMMENT = re.compile(r"#\s*torchtrace\s*:\s*(.*?)\s*$")
_FIRST_WORD = re.compile(r"[a-z-]+")


@dataclass(frozen=True)
class Mark:
    """What the class ``name`` promises by a mark on ``line``."""

    name: str
    line: int
    promises: Promises


@dataclass(frozen=True)
class Mistake:
    """A mark that cannot be read."""

    line: int
    text: str


def marks(source: str, outline: Outline) -> tuple[list[Mark], list[Mistake]]:
    """The marks of all classes of a file, and those that cannot be read."""
    found: list[Mark] = []
    mistakes: list[Mistake] = []
    if WORD not in source:
        return found, mistakes
    for item in outline.classes.values():
        if item.mark is not None:
            _read(item.name, item.mark.lineno, partial(_from_node, item.mark), found, mistakes)
    for line, text, is_alone in _comments(source):
        owner = _owner(line, is_alone, outline)
        if owner is not None:
            _read(owner.name, line, partial(from_text, text), found, mistakes)
        elif _is_promise(text):
            mistakes.append(Mistake(line, f"`# torchtrace: {text}` stands at no class: write it on the line of the class or the one above"))
    return found, mistakes


def _read(name: str, line: int, read: Callable[[], Promises], found: list[Mark], mistakes: list[Mistake]) -> None:
    try:
        found.append(Mark(name, line, read()))
    except PromiseError as error:
        mistakes.append(Mistake(line, str(error)))


def _from_node(node: ast.expr) -> Promises:
    try:
        return from_value(ast.literal_eval(node))
    except ValueError:
        raise PromiseError(f"{ATTRIBUTE} must be written out, such as {ATTRIBUTE} = 'export-ready': it is read without running the code") from None


def _comments(source: str) -> Iterator[tuple[int, str, bool]]:
    """Line and text of the comments that are for this tool, and whether nothing else stands on that line."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            match = _COMMENT.match(token.string)
            if match is not None:
                yield token.start[0], match[1], not token.line[: token.start[1]].strip()


def _owner(line: int, is_alone: bool, outline: Outline) -> ClassOutline | None:
    """The class that a comment on ``line`` stands at: in its header, or above it."""
    for item in outline.classes.values():
        above = is_alone and line in (item.first - 1, item.span.line - 1)
        if above or item.span.line <= line < item.body or line == item.span.line:
            return item
    return None


def _is_promise(text: str) -> bool:
    word = _FIRST_WORD.match(text)
    try:
        return word is not None and bool(from_text(word[0]).made)
    except PromiseError as error:
        return "needs a number" in str(error)
