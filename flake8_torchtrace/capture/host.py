"""Setting up a recording: the settings in force, the keeper, and what it says at the end."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from flake8_torchtrace.audit.files import shown
from flake8_torchtrace.audit.gate import fails
from flake8_torchtrace.audit.settings import Settings, begin
from flake8_torchtrace.config import Config
from flake8_torchtrace.report.content import Level, level_of
from flake8_torchtrace.verify.home import usable_cores

from .keeper import Keeper
from .settings import Recording

_MOST_REASONS = 10


@dataclass(frozen=True)
class Report:
    """``lines``: findings with verdicts, then what was done. ``fails``: a finding does not pass the gate."""

    lines: list[str]
    fails: bool


@dataclass(frozen=True)
class Wishes:
    """What was asked for besides flake8's settings. ``calls``: of each class at most; ``workers``: processes of the program."""

    packages: tuple[str, ...] = ()
    calls: int = 2
    workers: int = 1


def prepare(arguments: Sequence[str], wishes: Wishes) -> Keeper:
    """The keeper of a recording with flake8's ``arguments``. Raises UsageError, ConfigError."""
    options, run = begin(Settings(tuple(arguments)))
    config = run.config or Config()
    recording = Recording(
        root=os.path.dirname(run.folder),
        packages=wishes.packages,
        entries=("forward", *config.methods),
        targets=tuple(target.value for target in config.targets),
        timeout=config.timeout,
        calls=wishes.calls,
        jobs=max(1, usable_cores() // wishes.workers),
    )
    return Keeper(options, run, recording, None if config.no_store else run.folder)


def report(keeper: Keeper, fail_on: Level | None) -> Report:
    """What is told at the end."""
    keeper.keep()
    found = keeper.findings()
    lines = []
    for item in found:
        span = item.result.finding.span
        lines.append(f"{shown(item.result.finding.path)}:{span.line}:{span.column + 1}: {item.result.text}")
    levels = [level_of(item.result.finding, item.result.verdict) for item in found]
    confirmed = levels.count(Level.CONFIRMED)
    lines.append(f"{_count(len(found), 'finding')}, {confirmed} confirmed; {_done(keeper)}")
    lines += [f"not verified: {text}" for text in dict.fromkeys(keeper.tally.failed[:_MOST_REASONS])]
    lines += [f"trouble of torchtrace: {text}" for text in keeper.tally.troubles]
    return Report(lines, fail_on is not None and any(fails(level, fail_on) for level in levels))


def _done(keeper: Keeper) -> str:
    flagged, called, ran = keeper.classes()
    tally = keeper.tally
    told = f"{_count(tally.calls, 'call')} verified in {tally.seconds:.1f} s"
    return f"{told}; of {flagged} classes with findings {called} were called and {ran} were run by torch"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
