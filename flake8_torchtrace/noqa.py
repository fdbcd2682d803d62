"""Where a person puts ``# noqa`` on a statement of several lines: on its first line, on its last, or on that of the token.

flake8 itself looks at the reported line only.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from flake8 import defaults

from flake8_torchtrace.model import Finding

# flake8's own pattern, so that a comment means the same on every line; it has had two names.
_NOQA: re.Pattern[str] = getattr(defaults, "NOQA_INLINE_REGEX", None) or defaults.NOQA_INLINE_REGEXP


def is_silenced(finding: Finding, lines: Sequence[str]) -> bool:
    """Whether a ``# noqa`` on the finding's statement covers its code."""
    wanted = {finding.span.line, finding.statement.line, finding.statement.end_line}
    after = finding.statement.end_line
    while after < len(lines) and lines[after].lstrip()[:1] in (")", "]", "}"):
        after += 1  # the brackets that close the header of a compound statement
        wanted.add(after)
    return any(_covers(lines[line - 1], finding.code) for line in wanted if 0 < line <= len(lines))


def _covers(line: str, code: str) -> bool:
    match = _NOQA.search(line)
    if match is None:
        return False
    codes = match["codes"]
    if codes is None:
        return True
    listed = codes.replace(",", " ").upper().split()
    return any(code.startswith(item) for item in listed)
