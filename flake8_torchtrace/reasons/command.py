"""``torchtrace reasons``: run the examples of the rules on a torch and tell or record what happened."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from flake8_torchtrace.reasons import show
from flake8_torchtrace.reasons.examples import cases
from flake8_torchtrace.reasons.gate import FOLDER
from flake8_torchtrace.reasons.measure import Measured, MeasureError, measure, python_version
from flake8_torchtrace.reasons.profiles import write_profiles
from flake8_torchtrace.reasons.tables import TableError, file_name, from_measured, merged, plain, read, write
from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.source.rules import all_rules
from flake8_torchtrace.usage import UsageError, known_code

_OWN_TABLE = ""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the ``torchtrace`` parser."""
    parser = commands.add_parser(
        "reasons",
        help="run the examples of the rules on a torch and say what it does with them",
        description="Runs every bad and good example of every rule on a torch, each target in a process of its own, and says what "
        "happened, with torch's reason.",
    )
    parser.add_argument("--rule", action="append", metavar="CODE", help="only this rule; may be given more than once")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print it (default: text)")
    parser.add_argument(
        "--record", nargs="?", const=_OWN_TABLE, metavar="FILE",
        help="write the table to FILE, or without FILE to this package's own for that torch; with --rule only those rules are replaced",
    )  # fmt: skip
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="an interpreter that has torch (default: this one)")
    parser.add_argument("--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="time limit per example and target (default: 60)")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command. Raises UsageError for what cannot be done."""
    rules = _chosen(options.rule)
    if options.record and not Path(options.record).absolute().parent.is_dir():
        raise UsageError(f"--record: there is no folder {Path(options.record).parent}")
    try:
        python = python_version(options.python)
        measured = _measure(rules, options, python)
        if options.record is not None:
            _record(measured, python, options.record, is_partial=bool(options.rule))
    except (MeasureError, TableError) as error:
        raise UsageError(str(error)) from error
    return 0


def _chosen(codes: Sequence[str] | None) -> list[Rule]:
    by_code = {rule.code: rule for rule in all_rules()}
    names = {code: rule.name for code, rule in by_code.items()}
    return [by_code[code] for code in dict.fromkeys(known_code(text, names) for text in codes or by_code)]


def _measure(rules: Sequence[Rule], options: argparse.Namespace, python: str) -> list[Measured]:
    measured: list[Measured] = []
    is_text = options.format == "text"
    for item in measure(cases(rules), options.python, options.timeout):
        if is_text:
            _print(item, measured, python)
        measured.append(item)
    if is_text:
        print(f"\n{show.summary(measured)}")
    else:
        print(json.dumps(plain(from_measured(measured, python)), indent=2, ensure_ascii=False))
    return measured


def _print(item: Measured, before: list[Measured], python: str) -> None:
    if not before:
        print(*show.heading(item, python), sep="\n")
    rule = item.case.rule
    if not before or before[-1].case.rule is not rule:
        print(f"\n{rule.code} {rule.name}")
    print(*show.lines(item), sep="\n", flush=True)


def _record(measured: list[Measured], python: str, file: str, *, is_partial: bool) -> None:
    table = from_measured(measured, python)
    path = Path(file) if file != _OWN_TABLE else FOLDER / file_name(table.torch)
    if is_partial and path.exists():
        table = merged(read(path), table)
    write(table, path)
    if path.resolve().parent == FOLDER:
        write_profiles()
    print(f"torchtrace: wrote {path}", file=sys.stderr)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"the time limit must be a positive number of seconds, not {text!r}")
    return seconds
