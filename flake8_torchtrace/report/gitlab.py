"""The report of GitLab's code quality: a list of issues."""

from __future__ import annotations

import json
from typing import Any

from flake8_torchtrace.report.content import Content, Item, Level

_SEVERITIES = {Level.CONFIRMED: "major", Level.LIKELY: "minor"}


def write(content: Content) -> str:
    """The list, ended by a newline; what the baseline knows is left out, as GitLab compares reports itself."""
    issues = [_issue(item) for item in content.items if not item.is_known]
    issues += [
        {
            "description": f"not checked: {problem.message}",
            "check_name": "not-checked",
            "fingerprint": f"not-checked:{problem.path}",
            "severity": "critical",
            "location": {"path": problem.path, "lines": {"begin": problem.line}},
        }
        for problem in content.problems
    ]
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"


def _issue(item: Item) -> dict[str, Any]:
    span = item.finding.span
    return {
        "description": item.message,
        "check_name": item.finding.code,
        "fingerprint": item.fingerprint,
        "severity": _SEVERITIES.get(item.level, "info"),
        "location": {"path": item.path, "lines": {"begin": span.line, "end": span.end_line}},
    }
