"""One run over any number of files: its settings, its session, its index. The doors that lint share it, so that they say the same.

flake8 loads this for every file, so nothing else of the package is imported before a file mentions torch.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from flake8_torchtrace.pyproject import ConfigError, read_table
from flake8_torchtrace.source.gate import mentions_torch

if TYPE_CHECKING:
    from flake8_torchtrace import verify
    from flake8_torchtrace.config import Config
    from flake8_torchtrace.lint import Finder, Judge
    from flake8_torchtrace.result import Result
    from flake8_torchtrace.source.claims import Torch
    from flake8_torchtrace.source.index.access import Index
    from flake8_torchtrace.verify import Pair, Session

FAILED = "flake8-torchtrace failed on this file ({error}); please report it"


class Run:
    """``config`` is None where no setting was given, until a file needs them."""

    def __init__(self, disable_noqa: bool = False, config: Config | None = None) -> None:
        self.disable_noqa = disable_noqa
        self.config = config
        self.session: Session | Pair | None = None
        self.index: Index | None = None
        self.torch: Torch | None = None
        self.finder: Finder | None = None
        self._file: Path | None = None
        self._recorded: Judge | Literal[False] | None = False

    @classmethod
    def begin(cls, options: argparse.Namespace) -> Run:
        """Take the settings from flake8's options and pyproject.toml. Raises ConfigError."""
        run = cls(bool(options.disable_noqa))
        table, file = read_table(Path.cwd())
        run._file = file
        if not table and not _is_any_given(options):
            return run
        from flake8_torchtrace.config import merge

        run.config = merge(options, table, file)
        if run.config.pythons and run.config.torch is None:
            run.torch = _torch(run.config)
        run.session = _session(run.config, options, run.folder) if run.config.verify else None
        run._open_index(run.config)
        return run

    def follow(self, project: str) -> None:
        """Follow calls across the files of the directory ``project``, which itself is left as it is. Raises ConfigError."""
        from dataclasses import replace

        self.config = replace(self._settings(), project=project)
        self._open_index(self.config, self.folder)

    def _open_index(self, config: Config, kept_in: str | None = None) -> None:
        try:
            self.index = _index(config, kept_in)
        except OSError as error:
            raise ConfigError(f"--torchtrace-project: the index can be written nowhere: {error}") from error

    def results(
        self, path: str, tree: ast.Module, lines: Sequence[str], ran: Callable[[Sequence[verify.results.Run]], None] | None = None
    ) -> Iterator[Result]:
        """What is told of one file. ``ran`` is given what torch ran for it."""
        if self.index is None and not mentions_torch("".join(lines)):
            return
        # All else of this package is imported here: a file without torch must not pay for it.
        from flake8_torchtrace.source.pause import paused

        with paused():
            from flake8_torchtrace.lint import Lint

        judge = self.session or self._known()
        yield from Lint(self._settings(), self.disable_noqa, judge, self.index, self.torch, self.finder).results(path, tree, lines, ran)

    @property
    def folder(self) -> str:
        """Where things are kept between runs."""
        return _folder(self._file)

    def judge(self, recorded: Judge) -> None:
        """Take verdicts from ``recorded`` where torch is not asked."""
        self._recorded = recorded

    def _known(self) -> Judge | None:
        """What earlier programs showed, where any was recorded: it is told without running anything."""
        if self._recorded is False:
            self._recorded = _recorded(self._settings(), self.folder)
        return self._recorded

    def _settings(self) -> Config:
        from flake8_torchtrace.config import Config

        if self.config is None:
            self.config = Config()
        return self.config


def _is_any_given(options: argparse.Namespace) -> bool:
    return any(value is not None and value is not False for name, value in vars(options).items() if name.startswith("torchtrace_"))


def _index(config: Config, kept_in: str | None) -> Index | None:
    if config.project is None:
        return None
    from flake8_torchtrace.source.index.access import prepare

    return prepare(config.project, config.methods, kept_in)


def _folder(file: Path | None) -> str:
    """Where things are kept between runs: beside pyproject.toml, else in the current directory."""
    from flake8_torchtrace.folder import NAME, VARIABLE

    return os.environ.get(VARIABLE) or str((file.parent if file is not None else Path.cwd()) / NAME)


def _torch(config: Config) -> Torch:
    """What breaks on the torch of the named interpreters. Raises ConfigError."""
    from flake8_torchtrace.reasons.gate import Either, Gate
    from flake8_torchtrace.verify.interpreter import InterpreterError, find_interpreter

    try:
        gates = [Gate(find_interpreter(python).torch or None) for python in config.pythons]
    except InterpreterError as error:
        raise ConfigError(f"--torchtrace-python: {error}") from None
    return gates[0] if len(gates) == 1 else Either(*gates)


def _recorded(config: Config, folder: str) -> Judge | None:
    if config.no_store or "recorded" not in config.inputs:
        return None
    from flake8_torchtrace.folder import STORE

    if not os.path.isfile(os.path.join(folder, STORE)):
        return None
    from flake8_torchtrace.capture.recorded import recorded_in

    return recorded_in(folder, config.targets)


def _session(config: Config, options: argparse.Namespace, folder: str) -> Session | Pair | None:
    """The run's session, or one for each of two interpreters: made in the main process, found again in a worker that was spawned."""
    from dataclasses import replace

    from flake8_torchtrace.verify import Pair, Session, VerifySettings

    if multiprocessing.parent_process() is not None:
        sessions = Session.attach()
    else:
        store = None if config.no_store else folder
        settings = VerifySettings(
            targets=config.targets, timeout=config.timeout, recipes=config.recipes, store=store, dynamic=config.dynamic,
            replay=config.replay, inputs=config.inputs,
        )
        if not options.jobs.is_auto:
            settings = replace(settings, jobs=max(1, options.jobs.n_jobs))
        sessions = [Session(replace(settings, python=python)) for python in config.pythons or (settings.python,)]
    if not sessions:
        return None
    return sessions[0] if len(sessions) == 1 else Pair(*sessions)
