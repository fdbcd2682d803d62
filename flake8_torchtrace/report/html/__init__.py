"""One HTML file that opens from disk: the state of a code base at a glance, then down to a module and its breaks."""

from __future__ import annotations

from flake8_torchtrace.report.content import Content

NEEDED = ("jinja2", "pygments")
"""Packages of the extra ``report``, without which there is no such file."""


def write(content: Content) -> str:
    """The file. It asks nothing of any other, and what came from the code or from torch is text in it. Raises ImportError."""
    from flake8_torchtrace.report.html.page import page

    return page(content)
