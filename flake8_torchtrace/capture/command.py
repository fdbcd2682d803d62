"""``torchtrace run``: a program of the user as it is, with verdicts at its end."""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from flake8_torchtrace.audit.gate import FAILED
from flake8_torchtrace.audit.settings import OWN
from flake8_torchtrace.pyproject import ConfigError
from flake8_torchtrace.report.content import Level
from flake8_torchtrace.usage import UsageError

from . import options as wanted
from .host import Wishes, prepare, report
from .service import Service
from .settings import VARIABLE, Link

_NOT_HERE = ("verify", "recipes")
_FORWARDED = (signal.SIGTERM, signal.SIGHUP)
_BOOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), "boot")


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the ``torchtrace`` parser."""
    parser = commands.add_parser(
        "run",
        help="run a program and verify the calls it makes",
        usage="torchtrace run [options] -- COMMAND [ARGUMENT ...]",
        description="Runs COMMAND, such as `python train.py` or `pytest tests`. The first calls of every module class with findings are "
        "verified where they stand, in forked copies of the program. The exit status is that of COMMAND.",
    )
    wanted.add(parser.add_argument, "")
    for name, metavar in OWN.items():
        if name in _NOT_HERE:
            continue
        dest = name.replace("-", "_")
        if metavar is None:
            parser.add_argument(f"--{name}", f"--torchtrace-{name}", dest=dest, action="store_true", help=argparse.SUPPRESS)
        else:
            parser.add_argument(f"--{name}", f"--torchtrace-{name}", dest=dest, metavar=metavar, help=argparse.SUPPRESS)
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command. Raises UsageError for what cannot be done."""
    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise UsageError("there is nothing to run: torchtrace run -- COMMAND [ARGUMENT ...]")
    directory = tempfile.mkdtemp(prefix="torchtrace-")
    try:
        return _run(options, command, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _run(options: argparse.Namespace, command: list[str], directory: str) -> int:
    try:
        keeper = prepare(_arguments(options), Wishes(wanted.names(options.packages), options.calls))
    except ConfigError as error:
        raise UsageError(str(error)) from error
    service = Service(keeper.answer, Link(directory).listen())
    try:
        status = _status(command, directory)
    finally:
        service.end()
    made = report(keeper, Level(options.fail_on) if options.fail_on else None)
    for line in made.lines:
        print(f"torchtrace: {line}" if line is made.lines[-1] else line, file=sys.stderr)
    return status or (FAILED if made.fails else 0)


def _arguments(options: argparse.Namespace) -> list[str]:
    found = []
    for name, metavar in OWN.items():
        value: Any = getattr(options, name.replace("-", "_"), None)
        if name not in _NOT_HERE and value:
            found.append(f"--torchtrace-{name}" if metavar is None else f"--torchtrace-{name}={value}")
    return found


def _status(command: list[str], directory: str) -> int:
    """The exit status of the program, as a shell gives it."""
    path = [_BOOT, *filter(None, [os.environ.get("PYTHONPATH")])]
    package = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    environment = {**os.environ, VARIABLE: directory, "TORCHTRACE_PACKAGE": package, "PYTHONPATH": os.pathsep.join(path)}
    try:
        program = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise UsageError(f"cannot run {command[0]}: {error.strerror}") from error
    with _passing_on(program):
        status = program.wait()
    return 128 - status if status < 0 else status


@contextlib.contextmanager
def _passing_on(program: subprocess.Popen[bytes]) -> Iterator[None]:
    """The terminal's Ctrl-C reaches the program by itself: it decides what becomes of it."""
    before: dict[signal.Signals, Any] = {signal.SIGINT: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    for number in _FORWARDED:
        before[number] = signal.signal(number, lambda received, frame: program.send_signal(received))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


