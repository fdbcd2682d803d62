"""Records what a torch makes of the fixtures: the verdict on each finding, for each target.

    python scripts/record_verdicts.py [--python PYTHON] [--check] [FIXTURE ...]

PYTHON is an interpreter with the torch to ask (this package need not be installed there); this one by default. The table goes to
``fixtures/recorded/torch-VERSION.json``; with ``--check`` it is compared with what is there instead, and differences end the
command with status 1. With fixtures named, only those are run, and printed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import sys
import tokenize
from pathlib import Path

from flake8_torchtrace.config import INPUTS
from flake8_torchtrace.model import Finding, Outcome, Verdict
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.verify import Session, Verification, VerifySettings
from flake8_torchtrace.verify.reasons import short_reason

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "fixtures"
RECORDED = FIXTURES / "recorded"
NOT_RUN = frozenset({"hostile", "lost", "ready", "recorded", "static"})

Table = dict[str, dict[str, dict[str, str]]]


def fixtures() -> list[Path]:
    """All fixtures that are made to be run."""
    folders = [path for path in FIXTURES.iterdir() if path.is_dir() and path.name not in NOT_RUN]
    found = sorted(path for folder in folders for path in folder.glob("*.py"))
    return [path for path in found if "# FIXTURE: static" not in path.read_text(encoding="utf-8")]


def verdicts(session: Session, path: Path) -> tuple[str, dict[str, dict[str, str]]]:
    """The torch asked, and the verdicts on one file: by line and code, by target."""
    with tokenize.open(path) as file:
        source = file.read()
    lines = source.splitlines(keepends=True)
    findings = find(str(path), ast.parse(source), lines, LintSettings(keeps_all=True))
    answer: Verification = session.verify(str(path), source, [finding for finding in findings if finding.targets])
    return answer.torch, dict(_entry(*pair) for pair in sorted((*answer.verdicts, *answer.extra), key=lambda pair: pair[0].span))


def _entry(finding: Finding, verdict: Verdict) -> tuple[str, dict[str, str]]:
    told = {}
    for target, judged in verdict.targets.items():
        reason = f": {_settled(short_reason(judged.observation))}" if judged.observation is not None else ""
        if judged.outcome is Outcome.UNVERIFIED:
            reason = f": {judged.detail.partition('; its last output')[0]}"  # that may name places of this machine
        told[target.value] = judged.outcome.value + reason
    return f"{finding.span.line}:{finding.span.column + 1} {finding.code}", told


def _settled(text: str) -> str:
    """``text`` with the names in a set, whose order differs from run to run, sorted."""
    return re.sub(r"\{(\w+(?:, \w+)+)\}", lambda found: "{" + ", ".join(sorted(found[1].split(", "))) + "}", text)


def record(python: str, paths: list[Path]) -> tuple[str, Table]:
    """The version of torch and its table. Raises SystemExit where nothing could be asked."""
    session = Session(VerifySettings(python=python, inputs=INPUTS))
    table: Table = {}
    version = ""
    try:
        for path in paths:
            torch, table[path.relative_to(FIXTURES).as_posix()] = verdicts(session, path)
            version = torch or version
    finally:
        session.close()
    if not version:
        raise SystemExit(f"no torch answered in {python}: {next(iter(table.values()), {})}")
    return version, table


def written(table: Table) -> str:
    """The table as it is kept: one finding a line."""
    files = []
    for name in sorted(table):
        rows = ",\n".join(f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in table[name].items())
        files.append(f"  {json.dumps(name)}: {{\n{rows}\n  }}" if rows else f"  {json.dumps(name)}: {{}}")
    return "{\n" + ",\n".join(files) + "\n}\n"


def differences(old: Table, new: Table) -> list[str]:
    """One line for each verdict that is not what it was."""
    lines = []
    for name in sorted({*old, *new}):
        before, after = old.get(name, {}), new.get(name, {})
        for key in sorted({*before, *after}):
            if before.get(key) != after.get(key):
                lines.append(f"{name}:{key}: recorded {before.get(key)}, now {after.get(key)}")
    return lines


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("fixtures", nargs="*", type=lambda name: Path(name).resolve())
    chosen = parser.parse_args()
    os.chdir(ROOT)
    version, table = record(chosen.python, chosen.fixtures or fixtures())
    if chosen.fixtures:
        sys.stdout.write(written(table))
        return
    kept = RECORDED / f"torch-{version}.json"
    if chosen.check:
        found = differences(json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}, table)
        sys.stdout.write("".join(line + "\n" for line in found))
        raise SystemExit(1 if found else 0)
    RECORDED.mkdir(exist_ok=True)
    kept.write_text(written(table), encoding="utf-8")


if __name__ == "__main__":
    main()
