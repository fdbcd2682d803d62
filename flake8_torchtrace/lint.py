"""From one file to what is told of it: findings, or with verification their verdicts."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from flake8_torchtrace.model import Confidence, Family, Finding, Outcome, Verdict
from flake8_torchtrace.noqa import is_silenced
from flake8_torchtrace.reasons.gate import Gate
from flake8_torchtrace.result import Result, tool_finding
from flake8_torchtrace.source.claims import LintSettings, Torch
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.pause import paused
from flake8_torchtrace.source.project import NO_PROJECT, Project

if TYPE_CHECKING:
    from flake8_torchtrace.config import Config
    from flake8_torchtrace.ready.collect import Promised
    from flake8_torchtrace.ready.experiments import Answer
    from flake8_torchtrace.ready.inlint import Readiness
    from flake8_torchtrace.source.index.access import Index
    from flake8_torchtrace.verify import Verification
    from flake8_torchtrace.verify.results import Run


class Judge(Protocol):
    """Who has verdicts: a session, which asks torch, or what was recorded."""

    def warm(self, path: str, source: str) -> None:
        """Get ready to be asked about the file ``path``."""

    def offers_inputs(self, source: str) -> bool:
        """Whether there may be something to tell of a file without findings."""
        ...

    def verify(self, path: str, source: str, findings: Sequence[Finding]) -> Verification:
        """Judge ``findings``."""
        ...


_MARK = "torchtrace"


Finder = Callable[[str, ast.Module, Sequence[str], LintSettings, Project], list[Finding]]


class Lint:
    """What a run wants to know. ``session`` verifies; ``index`` knows the other files of the project; ``torch`` what breaks on which.

    ``finder`` is asked in the place of the engine.
    """

    def __init__(
        self, config: Config, disable_noqa: bool, session: Judge | None, index: Index | None, torch: Torch | None = None,
        finder: Finder | None = None,
    ) -> None:  # fmt: skip
        self._config = config
        self._disable_noqa = disable_noqa
        self._session = session
        self._index = index
        self._torch = torch or Gate(config.torch)
        self._find = finder or find
        self._ready: Readiness | None = None

    def results(self, path: str, tree: ast.Module, lines: Sequence[str], ran: Callable[[Sequence[Run]], None] | None = None) -> Iterator[Result]:
        """What is told of one file. ``ran`` is given what torch ran for it."""
        config = self._config
        # Torch itself decides what is verified, so nothing is held back from it.
        verifies = self._session is not None
        if self._session is not None:
            self._session.warm(path, "".join(lines))
        ready = self._ready = self._readiness(path, tree, lines)
        keeps_all = verifies or ready is not None
        settings = LintSettings(config.methods, config.possible or keeps_all, frozenset(config.targets), keeps_all, self._torch)
        project = NO_PROJECT if self._index is None else self._index.project_for(path)
        with paused():
            findings = self._find(path, tree, lines, settings, project)
        if ready is not None:
            held = ready.held(self._asks)
            findings = ready.sharpened(findings, held)
            yield from (Result(finding) for finding in ready.findings(held) if not self._is_silenced(finding, lines))
        shown = [finding for finding in findings if self._is_wanted(finding) and self._is_shown(finding, lines)]
        if self._session is None or not (shown or self._is_module_with_inputs(self._session, tree, lines)):
            yield from map(Result, shown)
            return
        yield from self._verified(self._session, findings, path, lines, ran)

    def _readiness(self, path: str, tree: ast.Module, lines: Sequence[str]) -> Readiness | None:
        """What the file promises. Its modules are loaded only where there may be something."""
        source = "".join(lines)
        if not self._config.ready and _MARK not in source:
            return None
        from flake8_torchtrace.ready.inlint import readiness

        return readiness(path, source, tree, self._config.ready)

    def _asks(self, promised: Promised) -> Answer | None:
        """What torch says of a class; without verification what it said before, if that is known."""
        from flake8_torchtrace.ready.experiments import ask, remembered
        from flake8_torchtrace.verify import Pair, Session

        if isinstance(self._session, Session | Pair):
            return ask(self._session, promised)
        return None if self._config.store is None else remembered(self._config.store, promised, self._config.recipes, self._config.timeout)

    def _is_wanted(self, finding: Finding) -> bool:
        if not finding.targets or finding.targets & frozenset(self._config.targets):
            return True
        return self._ready is not None and self._ready.concerns(finding)

    def _is_module_with_inputs(self, session: Judge, tree: ast.Module, lines: Sequence[str]) -> bool:
        """Whether torch is asked although nothing was found: a file with inputs is meant to be run."""
        entries = {"forward", *self._config.methods}
        bodies = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
        methods = {item.name for body in bodies for item in body if isinstance(item, ast.FunctionDef)}
        return not entries.isdisjoint(methods) and session.offers_inputs("".join(lines))

    def _verified(
        self, session: Judge, findings: list[Finding], path: str, lines: Sequence[str], ran: Callable[[Sequence[Run]], None] | None
    ) -> Iterator[Result]:
        # Trouble of the tool claims nothing that torch could judge; that an effect is lost only replays can.
        replays = self._config.verify and self._config.replay
        claims = [finding for finding in findings if finding.targets or (finding.family is Family.EFFECT and replays)]
        yield from (Result(finding) for finding in findings if finding not in claims and self._is_shown(finding, lines))
        result = session.verify(path, "".join(lines), claims)
        yield from (Result(finding) for finding in result.unjudged if self._is_shown(finding, lines))
        if ran is not None:
            ran(result.runs)
        for note in result.notes:
            yield Result(tool_finding("TTR005", path, note))
        judged = (*result.verdicts, *result.extra)
        for number, ((finding, verdict), before) in enumerate(zip(judged, result.before or [None] * len(judged), strict=True)):
            if self._is_silenced(finding, lines):
                continue
            is_claim = number < len(result.verdicts)  # what no rule predicted is told only of the torch that breaks there
            if verdict.outcome is Outcome.CONFIRMED or (is_claim and self._is_kept(finding, verdict, lines)):
                yield Result(finding, verdict, before)
            elif before is not None:
                yield Result(finding, verdict, before, is_past=True)

    def _is_kept(self, finding: Finding, verdict: Verdict, lines: Sequence[str]) -> bool:
        if verdict.outcome is Outcome.DISMISSED:
            return self._config.keep_dismissed
        return self._is_wanted(finding) and self._is_shown(finding, lines)

    def _is_shown(self, finding: Finding, lines: Sequence[str]) -> bool:
        if finding.confidence is Confidence.POSSIBLE and not self._config.possible:
            return False
        return not self._is_silenced(finding, lines)

    def _is_silenced(self, finding: Finding, lines: Sequence[str]) -> bool:
        return not self._disable_noqa and is_silenced(finding, lines)
