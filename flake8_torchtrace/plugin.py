"""The door to flake8."""

from __future__ import annotations

import argparse
import ast
import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from flake8_torchtrace import __version__
from flake8_torchtrace.config import Config, ConfigError, merge, read_table
from flake8_torchtrace.model import Confidence, Family, Finding, Outcome, Span, Verdict

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from flake8_torchtrace.source.index.access import Index
    from flake8_torchtrace.source.project import Project
    from flake8_torchtrace.verify import Session

Report = tuple[int, int, str, type]


class Plugin:
    """Reports graph breaks of torch.compile and refusals of torch.export; with ``--torchtrace-verify`` with torch's own word on each."""

    name = "flake8-torchtrace"
    version = __version__
    config: ClassVar[Config] = Config()
    disable_noqa: ClassVar[bool] = False
    session: ClassVar[Session | None] = None
    index: ClassVar[Index | None] = None

    def __init__(self, tree: ast.Module, filename: str, lines: Sequence[str]) -> None:
        self._tree = tree
        self._path = filename
        self._lines = lines

    @classmethod
    def add_options(cls, manager: OptionManager) -> None:
        """Add the ``--torchtrace-*`` options."""
        manager.add_option(
            "--torchtrace-methods", default=None, comma_separated_list=True, parse_from_config=True, metavar="NAMES",
            help="methods of module classes that are traced besides forward",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-possible", default=None, action="store_true", parse_from_config=True,
            help="also report findings that the code only makes possible, not likely",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-targets", default=None, comma_separated_list=True, parse_from_config=True, metavar="TARGETS",
            help="what the code must survive: compile, fullgraph, export-strict, export-nonstrict (default: all)",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-torch", default=None, parse_from_config=True, metavar="VERSION",
            help="report what breaks on this version of torch (default: the one installed beside flake8, else the newest known)",
        )  # fmt: skip
        # Not from a config file: a repository's config must not make a linter run the repository's code.
        manager.add_option(
            "--torchtrace-verify", default=False, action="store_true",
            help="run the flagged code through the installed torch and report its verdict; RUNS THE CODE OF THE LINTED FILES",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-keep-dismissed", default=None, action="store_true", parse_from_config=True,
            help="with verification: also show the findings that torch dismissed",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-timeout", default=None, parse_from_config=True, metavar="SECONDS",
            help="with verification: time limit for one module and target (default: 60)",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-recipes", default=None, parse_from_config=True, normalize_paths=True, metavar="FILE",
            help="with verification: a Python file whose RECIPES build modules and inputs",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-project", default=None, parse_from_config=True, normalize_paths=True, metavar="DIR",
            help="follow calls and base classes across the files of this directory; keeps an index in DIR/.torchtrace",
        )  # fmt: skip

    @classmethod
    def parse_options(cls, manager: OptionManager, options: argparse.Namespace, args: Any) -> None:
        """Take the settings; a mistake in them ends flake8 with status 2 and one line that says what is wrong."""
        try:
            cls.config = merge(options, *read_table(Path.cwd()))
        except ConfigError as error:
            manager.parser.error(f"flake8-torchtrace: {error}")
        cls.disable_noqa = bool(options.disable_noqa)
        cls.session = _session(cls.config) if cls.config.verify else None
        try:
            cls.index = _index(cls.config)
        except OSError as error:
            manager.parser.error(f"flake8-torchtrace: --torchtrace-project: the index can be written nowhere: {error}")

    def run(self) -> Iterator[Report]:
        """flake8's entry: ``(line, column, text, type)`` for each finding. Never raises: an exception here would end flake8's run."""
        try:
            yield from self._run()
        except Exception as error:
            text = f"flake8-torchtrace failed on this file ({type(error).__name__}: {error}); please report it"
            yield self._report(_tool_finding("TTR002", self._path, text), "")

    def _run(self) -> Iterator[Report]:
        from flake8_torchtrace.reasons.gate import Gate
        from flake8_torchtrace.source.claims import LintSettings
        from flake8_torchtrace.source.engine import find

        config = self.config
        # Torch itself decides what is verified, so nothing is held back from it.
        verifies = self.session is not None
        if self.session is not None:
            self.session.warm("".join(self._lines))
        settings = LintSettings(config.methods, config.possible or verifies, frozenset(config.targets), verifies, Gate(config.torch))
        findings = find(self._path, self._tree, self._lines, settings, self._project())
        shown = [finding for finding in findings if self._is_shown(finding)]
        if not verifies or not shown:
            yield from (self._report(finding, "") for finding in shown)
            return
        yield from self._verified(findings)

    def _project(self) -> Project:
        from flake8_torchtrace.source.project import NO_PROJECT

        return NO_PROJECT if self.index is None else self.index.project_for(self._path)

    def _verified(self, findings: list[Finding]) -> Iterator[Report]:
        from flake8_torchtrace.verify import render

        assert self.session is not None
        # What claims no break is not for torch to judge: trouble of the tool, and effects lost where nothing breaks.
        claims = [finding for finding in findings if finding.targets]
        yield from (self._report(finding, "") for finding in findings if not finding.targets and self._is_shown(finding))
        result = self.session.verify(self._path, "".join(self._lines), claims)
        for note in result.notes:
            yield self._report(_tool_finding("TTR005", self._path, note), "")
        for finding, verdict in (*result.verdicts, *result.extra):
            if self._is_kept(finding, verdict):
                yield self._report(finding, " " + render(verdict))

    def _is_kept(self, finding: Finding, verdict: Verdict) -> bool:
        if self._is_silenced(finding):
            return False
        outcome = verdict.outcome
        if outcome is Outcome.DISMISSED:
            return self.config.keep_dismissed
        is_wanted = bool(finding.targets & frozenset(self.config.targets))
        return outcome is Outcome.CONFIRMED or (is_wanted and self._is_shown(finding))

    def _is_shown(self, finding: Finding) -> bool:
        if finding.confidence is Confidence.POSSIBLE and not self.config.possible:
            return False
        return not self._is_silenced(finding)

    def _is_silenced(self, finding: Finding) -> bool:
        if self.disable_noqa:
            return False
        from flake8_torchtrace.noqa import is_silenced

        return is_silenced(finding, self._lines)

    def _report(self, finding: Finding, verdict: str) -> Report:
        return finding.span.line, finding.span.column, f"{finding.code} {finding.message}{verdict}", type(self)


def _index(config: Config) -> Index | None:
    if config.project is None:
        return None
    from flake8_torchtrace.source.index.access import prepare

    return prepare(config.project, config.methods)


def _session(config: Config) -> Session | None:
    """The run's session: made in the main process, found again in a worker that was spawned."""
    from flake8_torchtrace.verify import Session, VerifySettings

    if multiprocessing.parent_process() is not None:
        return Session.attach()
    return Session(VerifySettings(targets=config.targets, timeout=config.timeout, recipes=config.recipes))


def _tool_finding(code: str, path: str, text: str) -> Finding:
    start = Span(1, 0, 1, 0)
    return Finding(code, "tool", path, start, start, text, Confidence.LIKELY, Family.INTERNAL, frozenset(), "")
