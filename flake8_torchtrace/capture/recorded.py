"""Verdicts from recorded runs: pure matching, nothing is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from ..model import Finding, Outcome, Target
from ..verify.kept import Kept, Run, of_targets
from ..verify.match import match
from ..verify.results import parse_run
from ..verify.session import Verification, is_on_disk

_NONE = "no call of it was recorded"


class Recorded:
    """Judges findings by the runs that ``runs`` has of a file (real path)."""

    def __init__(self, targets: Sequence[Target], runs: Callable[[str], list[Run]]) -> None:
        self._targets = tuple(targets)
        self._runs = runs

    def warm(self, path: str, source: str) -> None:
        """There is nothing to start."""

    def offers_inputs(self, source: str) -> bool:
        """Nothing is run for a file without findings."""
        return False

    def verify(self, path: str, source: str, findings: Sequence[Finding]) -> Verification:
        """The verdicts that the runs support. Findings that none speaks of are ``unjudged``."""
        real = os.path.realpath(path)
        runs = of_targets(self._runs(real), self._targets)
        if not runs or not is_on_disk(real, source):
            return Verification("", (), unjudged=tuple(findings))
        torch = next((run["torch"] for run in reversed(runs) if run["torch"]), "")
        matched = match(real, source, findings, [parse_run(run) for run in runs], self._targets, torch, lambda finding: _NONE)
        judged = [(finding, verdict) for finding, verdict in matched.verdicts if not _is_unjudged(verdict.targets.values())]
        told = {id(finding) for finding, _ in judged}
        unjudged = tuple(finding for finding, _ in matched.verdicts if id(finding) not in told)
        return Verification(torch, tuple(judged), matched.extra, unjudged=unjudged)


def recorded_in(folder: str, targets: Sequence[Target]) -> Recorded:
    """What the store in ``folder`` has."""
    return Recorded(targets, Kept(folder).runs)


def _is_unjudged(verdicts: object) -> bool:
    return all(verdict.outcome is Outcome.UNVERIFIED and verdict.detail == _NONE for verdict in verdicts)  # type: ignore[attr-defined]
