"""Source as lines of coloured pieces, shortened around what is told of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

_NEAR = 6
_WHOLE = 60
# Which class of the page's style a kind of token has; the others have none.
_CLASSES = (
    (Keyword, "k"), (String, "s"), (Comment, "c"), (Number, "n"), (Name.Function, "f"), (Name.Class, "f"), (Name.Decorator, "d"),
    (Name.Builtin, "b"),
)  # fmt: skip

Piece = list[str]
"""A text, and the class of its colour if it has one."""
Line = tuple[int, list[Piece]]


def lines(text: str, first: int, last: int, marked: Collection[int]) -> list[Line]:
    """The lines ``first`` to ``last`` of ``text``, 1-based; of many only those near to ``first`` and to ``marked``."""
    kept = set(_kept(first, last, marked))
    part = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[first - 1 : last]
    pieces = _coloured("\n".join(part))
    return [(number, line) for number, line in enumerate(pieces, first) if number in kept]


def _kept(first: int, last: int, marked: Collection[int]) -> Iterable[int]:
    if last - first < _WHOLE:
        return range(first, last + 1)
    near = {number for line in (first, *marked) for number in range(line - _NEAR, line + _NEAR + 1)}
    return sorted(number for number in near if first <= number <= last)


def _coloured(text: str) -> Iterator[list[Piece]]:
    line: list[Piece] = []
    for kind, value in PythonLexer(stripnl=False, ensurenl=False).get_tokens(text):
        name = _class(kind)
        for number, part in enumerate(value.split("\n")):
            if number:
                yield line
                line = []
            if part:
                _append(line, part, name)
    yield line


def _append(line: list[Piece], text: str, name: str) -> None:
    """Add to the piece before it where the colour is the same; blanks have none of their own."""
    if line and (line[-1][1:] == ([name] if name else []) or text.isspace()):
        line[-1][0] += text
    else:
        line.append([text, name] if name else [text])


def _class(kind: _TokenType) -> str:
    return next((name for parent, name in _CLASSES if kind in parent), "")
