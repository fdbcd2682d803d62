"""The door to flake8."""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from flake8_torchtrace import __version__
from flake8_torchtrace.pyproject import ConfigError
from flake8_torchtrace.run import FAILED, Run

if TYPE_CHECKING:
    from flake8.options.manager import OptionManager

Report = tuple[int, int, str, type]


class Plugin:
    """Reports graph breaks of torch.compile and refusals of torch.export; with ``--torchtrace-verify`` with torch's own word on each."""

    name = "flake8-torchtrace"
    version = __version__
    current: ClassVar[Run] = Run()

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
            "--torchtrace-python", default=None, action=_EveryOnCommandLine, parse_from_config=True, metavar="PATH",
            help="verify with the torch of this interpreter, which need not have flake8; implies --torchtrace-verify",
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
            "--torchtrace-dynamic", default=None, action="store_true", parse_from_config=True,
            help="with verification: also leave every size of the inputs open, and report what fixes or limits one (slower)",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-no-replay", default=None, action="store_true", parse_from_config=True,
            help="with verification: do not look for what the programs of accepted exports lose (faster)",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-inputs", default=None, comma_separated_list=True, parse_from_config=True, metavar="SOURCES",
            help="with verification: where inputs may come from, the first choice first (default: recipe,recorded,synthesised)",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-no-store", default=None, action="store_true", parse_from_config=True,
            help="with verification: ask torch anew, and keep nothing of what it says in .torchtrace",
        )  # fmt: skip
        manager.add_option(
            "--torchtrace-project", default=None, parse_from_config=True, normalize_paths=True, metavar="DIR",
            help="follow calls and base classes across the files of this directory; keeps an index in DIR/.torchtrace",
        )  # fmt: skip

    @classmethod
    def parse_options(cls, manager: OptionManager, options: argparse.Namespace, args: Any) -> None:
        """Take the settings; a mistake in them ends flake8 with status 2 and one line that says what is wrong."""
        cls.current = Run()
        try:
            cls.current = Run.begin(options)
        except ConfigError as error:
            manager.parser.error(f"flake8-torchtrace: {error}")
        config = cls.current.config
        if config is not None and config.torch is not None and multiprocessing.parent_process() is None:
            _tell_of_stand_in(config.torch)

    def run(self) -> Iterator[Report]:
        """flake8's entry: ``(line, column, text, type)`` for each finding. Never raises: an exception here would end flake8's run."""
        cls = type(self)
        try:
            for result in cls.current.results(self._path, self._tree, self._lines):
                if result.is_past:
                    continue
                yield result.finding.span.line, result.finding.span.column, result.text, cls
        except Exception as error:
            yield 1, 0, f"TTR002 {FAILED.format(error=f'{type(error).__name__}: {error}')}", cls


def _tell_of_stand_in(torch: str) -> None:
    from flake8_torchtrace.reasons.gate import stand_in

    told = stand_in(torch)
    if told is not None:
        print(f"flake8-torchtrace: {told}", file=sys.stderr)


class _OnCommandLine(argparse.Action):
    """Makes an option True. A config file makes it a string: flake8 reads a boolean only for ``store_true``."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, True)


class _EveryOnCommandLine(argparse.Action):
    """Makes an option the list of its values. A config file makes it a string."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option_string: str | None = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, [*(before if isinstance(before, list) else ()), str(values)])
