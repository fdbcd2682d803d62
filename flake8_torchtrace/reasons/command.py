"""``torchtrace reasons``: run the examples of the rules on a torch and tell or record what happened."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from flake8_torchtrace.reasons import show, show_account
from flake8_torchtrace.reasons.entries import is_known
from flake8_torchtrace.reasons.examples import cases
from flake8_torchtrace.reasons.gate import FOLDER
from flake8_torchtrace.reasons.measure import Measured, MeasureError, measure
from flake8_torchtrace.reasons.of import account_of
from flake8_torchtrace.reasons.profiles import write_profiles
from flake8_torchtrace.reasons.tables import Table, TableError, current, file_name, from_measured, merged, plain, read, write
from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.usage import UsageError, known_code, load_rules
from flake8_torchtrace.verify import VerifySettings
from flake8_torchtrace.verify.interpreter import Interpreter, InterpreterError, find_interpreter

_OWN_TABLE = ""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the ``torchtrace`` parser."""
    parser = commands.add_parser(
        "reasons",
        help="run the examples of the rules on a torch and say what it does with them",
        description="Runs every bad and good example of every rule on a torch, each target in a process of its own, and says what "
        "happened, with torch's reason.",
    )
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--rule", action="append", metavar="CODE", help="only this rule; may be given more than once")
    which.add_argument(
        "--of", metavar="FILE[:CLASS]",
        help="instead of the examples: what torch makes of a module, its frames, graphs, guards, breaks with their cost, and refusals",
    )  # fmt: skip
    which.add_argument(
        "--new", action="store_true",
        help="only rules that the table does not have, has with other examples, or whose bad examples could not be run",
    )  # fmt: skip
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how to print it (default: text)")
    parser.add_argument(
        "--record", nargs="?", const=_OWN_TABLE, metavar="FILE",
        help="write the table to FILE, or without FILE to this package's own for that torch; with --rule or --new the rest of it is kept",
    )  # fmt: skip
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="an interpreter that has torch (default: this one)")
    parser.add_argument("--timeout", type=_seconds, default=60.0, metavar="SECONDS", help="time limit per example and target (default: 60)")
    parser.add_argument("--recipes", metavar="FILE", help="with --of: recipes that say how modules are built (as --torchtrace-recipes)")
    parser.add_argument("--dynamic", action="store_true", help="with --of: what becomes of every size of the inputs when it is left open")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command. Raises UsageError for what cannot be done."""
    if options.of is not None:
        return _account(options)
    if options.recipes is not None or options.dynamic:
        raise UsageError(f"{'--recipes' if options.recipes is not None else '--dynamic'} goes with --of")
    if options.record and not Path(options.record).absolute().parent.is_dir():
        raise UsageError(f"--record: there is no folder {Path(options.record).parent}")
    if options.new and options.record is None:
        raise UsageError("--new needs --record: it asks which rules the table does not have")
    try:
        interpreter = find_interpreter(options.python)
        rules = _new(interpreter, options.record) if options.new else _chosen(options.rule)
        if not rules:
            print(f"the table of torch {interpreter.torch} has all rules")
            return 0
        measured = _measure(rules, options, interpreter)
        if options.record is not None:
            _record(measured, interpreter, options)
    except (MeasureError, InterpreterError, TableError) as error:
        raise UsageError(str(error)) from error
    return 0


def _account(options: argparse.Namespace) -> int:
    if options.record is not None:
        raise UsageError("--record is for the examples, not for --of")
    if options.recipes is not None and not Path(options.recipes).is_file():
        raise UsageError(f"--recipes: there is no file {options.recipes}")
    settings = VerifySettings(timeout=options.timeout, python=options.python, recipes=options.recipes, dynamic=options.dynamic)
    found = account_of(options.of, settings)
    if options.format == "json":
        print(json.dumps([show_account.plain(item) for item in found], indent=2, ensure_ascii=False))
    else:
        print("\n\n".join("\n".join(show_account.text(item)) for item in found))
    return 0


def _chosen(codes: Sequence[str] | None) -> list[Rule]:
    by_code = {rule.code: rule for rule in load_rules()}
    names = {code: rule.name for code, rule in by_code.items()}
    return [by_code[code] for code in dict.fromkeys(known_code(text, names) for text in codes or by_code)]


def _new(interpreter: Interpreter, file: str) -> list[Rule]:
    path = _path(file, interpreter.torch)
    table = read(path) if path.exists() else None
    return [rule for rule in load_rules() if table is None or not _is_measured(rule, table)]


def _is_measured(rule: Rule, table: Table) -> bool:
    entry = current(table, rule)
    return entry is not None and all(map(is_known, entry.bad))


def _measure(rules: Sequence[Rule], options: argparse.Namespace, interpreter: Interpreter) -> list[Measured]:
    measured: list[Measured] = []
    is_text = options.format == "text"
    for item in measure(cases(rules), interpreter.path, options.timeout):
        if is_text:
            _print(item, measured, interpreter.version)
        measured.append(item)
    if is_text:
        print(f"\n{show.summary(measured)}")
    else:
        print(json.dumps(plain(from_measured(measured, interpreter.version)), indent=2, ensure_ascii=False))
    return measured


def _print(item: Measured, before: list[Measured], python: str) -> None:
    if not before:
        print(*show.heading(item, python), sep="\n")
    rule = item.case.rule
    if not before or before[-1].case.rule is not rule:
        print(f"\n{rule.code} {rule.name}")
    print(*show.lines(item), sep="\n", flush=True)


def _record(measured: list[Measured], interpreter: Interpreter, options: argparse.Namespace) -> None:
    table = from_measured(measured, interpreter.version)
    path = _path(options.record, table.torch)
    if (options.rule or options.new) and path.exists():
        table = merged(read(path), table)
    known = {rule.code for rule in load_rules()}
    table.rules = {code: entry for code, entry in table.rules.items() if code in known}
    write(table, path)
    if path.resolve().parent == FOLDER:
        write_profiles()
    print(f"torchtrace: wrote {path}", file=sys.stderr)


def _path(file: str, torch: str) -> Path:
    return FOLDER / file_name(torch) if file == _OWN_TABLE else Path(file)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"the time limit must be a positive number of seconds, not {text!r}")
    return seconds
