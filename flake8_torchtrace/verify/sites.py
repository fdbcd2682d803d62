"""Where in the file under test an observation happened, and which findings it speaks of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..model import Family, Finding, Frame, Observation, Span
from .statements import Statements
from .text import covers

_INPUT_FUNCTIONS = frozenset({"make", "example_inputs"})
# Families that torch does not keep apart: GB0007 covers C builtins and skipped functions, GB0033 values and shapes.
_AKIN = (
    frozenset({Family.VALUE, Family.DYNAMIC_SHAPE}),
    frozenset({Family.NO_HANDLER, Family.SKIPPED, Family.EFFECT}),
)
_COULD_BE_ANYTHING = frozenset({Family.UNCLASSIFIED, Family.INTERNAL})


@dataclass(frozen=True)
class Site:
    """An observation at its innermost frame in the file. ``columns``: in characters, end exclusive, None if unknown.

    ``is_cut``: the end is not known, the columns are those of the start.
    """

    observation: Observation
    line: int
    columns: tuple[int, int] | None
    statement: Span
    function: str
    innermost: Frame
    is_cut: bool = False


def locate(observation: Observation, path: str, statements: Statements) -> Site | None:
    """The site of ``observation`` in the file ``path``, or None if no frame of the traced code lies there.

    Only the innermost frame in the file counts: a caller further out is not where torch broke.
    """
    frames = [frame for frame in observation.stack if frame.path == path and not _builds_inputs(frame, statements)]
    if not frames:
        return None
    frame = frames[-1]
    line, start, end = _position(frame, statements)
    columns = None
    if start is not None:  # where an expression over several lines ends is not known
        columns = (start, start + 1 if end is None else end)
    statement = statements.at(line, start)
    return Site(observation, line, columns, statement, frame.function, observation.stack[-1], end is None)


def _position(frame: Frame, statements: Statements) -> tuple[int, int | None, int | None]:
    """Line, column and end column of what a frame is at."""
    meant = None
    if frame.column is not None:
        meant = statements.comprehensions.meant(frame.line, frame.column, frame.end_column, frame.function)
    if meant is None:
        return frame.line, frame.column, frame.end_column
    return meant.line, meant.column, meant.end_column if meant.end_line == meant.line else None


def findings_hit(site: Site, findings: Sequence[Finding]) -> frozenset[int]:
    """The indexes of the findings that ``site`` confirms. Empty only if its statement carries none."""
    own = [index for index, finding in enumerate(findings) if _same_statement(finding.statement, site)]
    if site.columns is not None:  # a position tells statements apart that share a line
        column = site.columns[0]
        own = [index for index in own if covers(findings[index].statement, site.line, column)]
    elsewhere = [index for index in range(len(findings)) if index not in own]
    related = [index for index in elsewhere if any(span.has_line(site.line) for span in findings[index].related)]
    if not own:
        return frozenset(_narrowed(related, site, findings))
    kin = [index for index in related if _fits(findings[index].family, site.observation.family)]
    return frozenset([*_narrowed(own, site, findings), *kin])


def _builds_inputs(frame: Frame, statements: Statements) -> bool:
    return frame.function in _INPUT_FUNCTIONS and statements.is_in_function(frame.function, frame.line)


def _same_statement(statement: Span, site: Site) -> bool:
    return statement.has_line(site.line) or statement.line == site.statement.line


def _narrowed(candidates: list[int], site: Site, findings: Sequence[Finding]) -> list[int]:
    """Those of one statement's findings that the observation is about: by position and family, else the nearest."""
    overlapping = [index for index in candidates if overlaps(findings[index].span, site)]
    family = site.observation.family
    tests: tuple[Callable[[Family], bool], ...] = (lambda own: own is family, lambda own: _fits(own, family))
    for group in (overlapping, candidates):
        for test in tests:
            fitting = [index for index in group if test(findings[index].family)]
            if fitting:
                return fitting
    if site.columns is None or not candidates:
        return candidates
    return [min(overlapping or candidates, key=lambda index: _distance(findings[index].span, site))]


def overlaps(span: Span, site: Site) -> bool:
    """Whether the observation is about a part of ``span``, as far as its columns tell."""
    if site.columns is None or not span.has_line(site.line):
        return False
    start = span.column if span.line == site.line else 0
    end = span.end_column if span.end_line == site.line else site.columns[1]
    return start < site.columns[1] and site.columns[0] < max(end, start + 1)


def _distance(span: Span, site: Site) -> tuple[int, int]:
    column = site.columns[0] if site.columns else 0
    return abs(span.line - site.line), abs(span.column - column)


def _fits(claimed: Family, observed: Family) -> bool:
    if claimed is observed or observed in _COULD_BE_ANYTHING:
        return True
    return any(claimed in kin and observed in kin for kin in _AKIN)
