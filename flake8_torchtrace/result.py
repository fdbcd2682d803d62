"""What is told of one place: a finding, and with verification torch's verdict on it."""

from __future__ import annotations

from dataclasses import dataclass

from flake8_torchtrace.model import Confidence, Family, Finding, Span, Verdict


@dataclass(frozen=True)
class Result:
    """``verdict`` is None where torch was not asked, and for what the tool says of itself.

    ``before`` is the verdict of the torch that ``verdict`` is compared with, if two were asked; ``is_past``: it is all there is to
    tell, as a finding this would not be worth a line.
    """

    finding: Finding
    verdict: Verdict | None = None
    before: Verdict | None = None
    is_past: bool = False

    @property
    def text(self) -> str:
        """The code and the message, with the verdict in brackets: what flake8 prints after the position."""
        return f"{self.finding.code} {self.message}"

    @property
    def message(self) -> str:
        """`text` without the code."""
        if self.verdict is None:
            return self.finding.message
        from flake8_torchtrace.verify.render import render

        return f"{self.finding.message} {render(self.verdict)}"


def tool_finding(code: str, path: str, text: str) -> Finding:
    """What the tool says of itself about a file."""
    start = Span(1, 0, 1, 0)
    return Finding(code, "tool", path, start, start, text, Confidence.LIKELY, Family.INTERNAL, frozenset(), "")
