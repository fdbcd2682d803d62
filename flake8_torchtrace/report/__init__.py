"""Writers of what an audit found, one file each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flake8_torchtrace.report import github, gitlab, html, json, junit, sarif, text
from flake8_torchtrace.report.content import Content

FORMATS: Mapping[str, Callable[[Content], str]] = {
    "text": text.write,
    "json": json.write,
    "html": html.write,
    "sarif": sarif.write,
    "github": github.write,
    "gitlab": gitlab.write,
    "junit": junit.write,
}
