"""How many flagged classes get a verdict from inputs that nobody wrote.

    python benchmarks/synthesis_share.py [--ending Model] [--sample N] [--timeout SECONDS] PATH [PATH ...]

Lints the files under each PATH, and for every class with findings asks torch with synthesised inputs only. Prints a line for each
class, and at the end the shares: of all flagged classes, those whose call succeeded in eager (``ran``), those of which a finding was
confirmed or dismissed (``judged``), and the latter of those that ran. ``--ending`` keeps classes whose name ends so, ``--sample`` N
files of those that have any, always the same ones. With ``--against`` the verdicts of a file of recipes are compared with them: for each
finding and target that both confirmed or dismissed.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import random
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from flake8_torchtrace.model import Finding, Outcome, Target, Verdict
from flake8_torchtrace.reasons.gate import Gate
from flake8_torchtrace.source.claims import LintSettings
from flake8_torchtrace.source.engine import find
from flake8_torchtrace.source.project import NO_PROJECT
from flake8_torchtrace.verify import Session, Verification, VerifySettings

SETTINGS = LintSettings((), True, frozenset(Target), True, Gate(None))


@dataclass(frozen=True)
class Flagged:
    """A file with findings of classes that count."""

    path: str
    source: str
    findings: tuple[Finding, ...]


def flagged(paths: Sequence[str], ending: str) -> Iterator[Flagged]:
    """The files under ``paths`` with findings in classes whose name ends with ``ending``."""
    for path in paths:
        for file in sorted(Path(path).rglob("*.py")) if Path(path).is_dir() else [Path(path)]:
            with tokenize.open(file) as opened:
                source = opened.read()
            if "torch" not in source:
                continue
            found = find(str(file), ast.parse(source), source.splitlines(keepends=True), SETTINGS, NO_PROJECT)
            kept = tuple(item for item in found if item.targets and item.owner and item.owner.endswith(ending))
            if kept:
                yield Flagged(str(file), source, kept)


def outcome_of(verdicts: Sequence[Verdict]) -> str:
    """What a class got: ``judged``, ``ran`` or ``none``."""
    outcomes = {judged.outcome for verdict in verdicts for judged in verdict.targets.values()}
    if outcomes & {Outcome.CONFIRMED, Outcome.DISMISSED}:
        return "judged"
    return "ran" if Outcome.NOT_REACHED in outcomes else "none"


def compared(made: Verification, written: Verification) -> Iterator[bool]:
    """For each finding and target that both judge, whether they say the same; what differs is printed."""
    judged = {Outcome.CONFIRMED, Outcome.DISMISSED}
    for (finding, one), (_, two) in zip(made.verdicts, written.verdicts, strict=True):
        for target, verdict in one.targets.items():
            if {verdict.outcome, two.targets[target].outcome} <= judged:
                if verdict.outcome is not two.targets[target].outcome:
                    print(f"differs {finding.path}:{finding.span.line} {target.value}: {verdict.outcome.value}, {two.targets[target].outcome.value}")
                yield verdict.outcome is two.targets[target].outcome


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--ending", default="", help="only classes whose name ends so")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="only N of the files")
    parser.add_argument("--against", metavar="RECIPES", help="compare with the verdicts of these recipes, where they have some too")
    parser.add_argument("--timeout", type=float, default=60.0)
    parser.add_argument("--targets", default="compile,fullgraph,export-strict,export-nonstrict")
    options = parser.parse_args()
    files = list(flagged(options.paths, options.ending))
    if options.sample:
        files = random.Random(0).sample(files, min(options.sample, len(files)))
    targets = tuple(Target(name) for name in options.targets.split(","))
    other = None
    if options.against:
        other = Session(VerifySettings(targets=targets, timeout=options.timeout, recipes=options.against, inputs=("recipe",)))
    agreed: list[bool] = []
    counts = {"judged": 0, "ran": 0, "none": 0}
    with contextlib.closing(Session(VerifySettings(targets=targets, timeout=options.timeout, inputs=("synthesised",)))) as session:
        for file in files:
            verification = session.verify(file.path, file.source, file.findings)
            if other is not None:
                agreed += compared(verification, other.verify(file.path, file.source, file.findings))
            for owner in sorted({str(finding.owner) for finding in file.findings}):
                verdicts = [verdict for finding, verdict in verification.verdicts if finding.owner == owner]
                word = outcome_of(verdicts)
                counts[word] += 1
                inputs = next((verdict.inputs for verdict in verdicts if verdict.inputs), "")
                why = "" if word == "judged" else next((judged.detail for verdict in verdicts for judged in verdict.targets.values()), "")
                print(f"{word:6} {file.path}:{owner} {inputs[:160]} {why[:300]}".rstrip(), flush=True)
    if other is not None:
        other.close()
        print(f"agree with recipes: {sum(agreed)} of {len(agreed)} verdicts")
    total, ran = sum(counts.values()), counts["judged"] + counts["ran"]
    judged = counts["judged"]
    shares = f"judged {judged} ({judged / max(total, 1):.0%} of flagged, {judged / max(ran, 1):.0%} of those that ran)"
    print(f"flagged {total}, ran {ran} ({ran / max(total, 1):.0%}), {shares}")


if __name__ == "__main__":
    main()
