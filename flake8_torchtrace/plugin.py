"""The door to flake8."""

from __future__ import annotations

import argparse
import ast
import multiprocessing
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from flake8_torchtrace import __version__
from flake8_torchtrace.pyproject import ConfigError, read_table
from flake8_torchtrace.source.gate import mentions_torch

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

    from flake8_torchtrace.config import Config
    from flake8_torchtrace.source.index.access import Index
    from flake8_torchtrace.verify import Session

Report = tuple[int, int, str, type]


class Plugin:
    """Reports graph breaks of torch.compile and refusals of torch.export; with ``--torchtrace-verify`` with torch's own word on each."""

    name = "flake8-torchtrace"
    version = __version__
    config: ClassVar[Config | None] = None
    """None where no setting was given, until a file needs them."""
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
        # A repository's config must not make a linter run the repository's code: what a config file says of it is told as a mistake.
        manager.add_option(
            "--torchtrace-verify", default=False, action=_OnCommandLine, nargs=0, parse_from_config=True,
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
        cls.disable_noqa = bool(options.disable_noqa)
        cls.config, cls.session, cls.index = None, None, None
        try:
            table, file = read_table(Path.cwd())
            if not table and not _is_any_given(options):
                return
            from flake8_torchtrace.config import merge

            cls.config = merge(options, table, file)
        except ConfigError as error:
            manager.parser.error(f"flake8-torchtrace: {error}")
            return
        cls.session = _session(cls.config) if cls.config.verify else None
        try:
            cls.index = _index(cls.config)
        except OSError as error:
            manager.parser.error(f"flake8-torchtrace: --torchtrace-project: the index can be written nowhere: {error}")

    def run(self) -> Iterator[Report]:
        """flake8's entry: ``(line, column, text, type)`` for each finding. Never raises: an exception here would end flake8's run."""
        if self.index is None and not mentions_torch("".join(self._lines)):
            return
        cls = type(self)
        try:
            # All else of this package is imported here: a file without torch must not pay for it.
            from flake8_torchtrace.lint import Lint

            lint = Lint(cls._settings(), cls.disable_noqa, cls.session, cls.index)
            for line, column, text in lint.reports(self._path, self._tree, self._lines):
                yield line, column, text, cls
        except Exception as error:
            yield 1, 0, f"TTR002 flake8-torchtrace failed on this file ({type(error).__name__}: {error}); please report it", cls

    @classmethod
    def _settings(cls) -> Config:
        from flake8_torchtrace.config import Config

        if cls.config is None:
            cls.config = Config()
        return cls.config


class _OnCommandLine(argparse.Action):
    """Makes an option True. A config file makes it a string: flake8 reads a boolean only for ``store_true``."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, True)


def _is_any_given(options: argparse.Namespace) -> bool:
    return any(value is not None and value is not False for name, value in vars(options).items() if name.startswith("torchtrace_"))


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
