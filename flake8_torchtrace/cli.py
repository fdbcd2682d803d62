"""The ``torchtrace`` command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from flake8_torchtrace import __version__, inputs_command
from flake8_torchtrace.audit import command as audit
from flake8_torchtrace.capture import command as run
from flake8_torchtrace.explain import command as explain
from flake8_torchtrace.ready import command as ready
from flake8_torchtrace.reasons import command as reasons
from flake8_torchtrace.usage import UsageError

COMMANDS = (audit, explain, inputs_command, ready, reasons, run)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status: 2 for a mistake of the user, told in one line."""
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except UsageError as error:
        print(f"torchtrace: error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # `torchtrace explain | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="torchtrace", description="Graph breaks of torch.compile and refusals of torch.export: what flake8-torchtrace knows of them."
    )
    parser.add_argument("--version", action="version", version=f"torchtrace {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return parser
