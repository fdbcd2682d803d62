"""``torchtrace ready``: hold every promise by experiment, and say by the exit status whether all are kept."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence

from flake8_torchtrace.audit import output
from flake8_torchtrace.audit.gate import FAILED, PASSED
from flake8_torchtrace.audit.progress import Progress
from flake8_torchtrace.ready import propose, section, show
from flake8_torchtrace.ready.collect import Promised
from flake8_torchtrace.ready.experiments import ask
from flake8_torchtrace.ready.explain import explained
from flake8_torchtrace.ready.hold import Held, hold
from flake8_torchtrace.ready.project import Project, read_project, settings_of
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify import Session, VerifySettings


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the ``torchtrace`` parser."""
    parser = commands.add_parser(
        "ready",
        help="hold classes to what they promise of torch.compile and torch.export",
        description="Checks by experiment every promise of [tool.torchtrace.ready] in pyproject.toml and of the comments `# torchtrace: ...`; RUNS "
        "THE CODE. Exit status: 0 if all are kept, 1 with a line for each that is broken, 2 if it could not do its work.",
    )
    parser.add_argument("wanted", nargs="*", metavar="NAME", help="only these: dotted names, files or folders")
    output.add_to(parser, show.FORMATS)
    other = parser.add_mutually_exclusive_group()
    other.add_argument(
        "--propose", action="store_true",
        help="measure what classes that promise nothing yet keep today, and add that to [tool.torchtrace.ready] in pyproject.toml",
    )  # fmt: skip
    other.add_argument("--explain", metavar="CLASS", help="show the experiment: inputs, graph, signature, ranges, archive, results")
    parser.add_argument("--print", action="store_true", dest="prints", help="with --propose: print the section and write nothing")
    parser.add_argument("--verbose", "-v", action="store_true", help="tell of kept promises too, with the inputs; with --propose of what is not kept")
    parser.add_argument("--recipes", metavar="FILE", help="recipes that say how modules are built (as --torchtrace-recipes)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="time limit for one experiment (default: 60)")
    parser.add_argument("--python", metavar="PATH", default=sys.executable, help="an interpreter that has torch and the project (default: this one)")
    parser.add_argument("--no-store", action="store_true", help="ask torch anew, and keep nothing of what it says in .torchtrace")
    parser.add_argument("--quiet", action="store_true", help="no summary")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command. Raises UsageError for what cannot be done."""
    outputs = output.checked(options.outputs)
    project = read_project()
    session = settings_of(project, options)
    if options.prints and not options.propose:
        raise UsageError("--print goes with --propose")
    if options.propose:
        return _propose(project, options, session)
    if options.explain is not None:
        with contextlib.closing(Session(session)) as asked:
            print("\n".join(explained(project, options.explain, asked)))
        return PASSED
    promised = project.promised(options.wanted)
    if not promised:
        raise UsageError("nothing is promised: write [tool.torchtrace.ready] in pyproject.toml, or `# torchtrace: export-ready` at a class")
    with contextlib.closing(Session(session)) as asked:
        held, torch, notes = hold_all(project, promised, asked)
        problem = asked.problem
    formats = {**show.FORMATS, "text": show.text_of_all} if options.verbose else show.FORMATS
    output.write(held, outputs, formats)
    for note in dict.fromkeys([*notes, *([problem] if problem else [])]):
        _say(note)
    if not options.quiet:
        _say(show.summary(held, torch))
    return PASSED if all(item.is_kept for item in held) else FAILED


def _propose(project: Project, options: argparse.Namespace, settings: VerifySettings) -> int:
    found = propose.places(project, options.wanted)
    if not found:
        raise UsageError("--propose: there is no module class that promises nothing yet")
    progress = Progress(len(found), options.quiet)
    with contextlib.closing(Session(settings)) as asked:
        proposals = propose.measure(project, found, asked, lambda item: progress.step(item.place.name, len(item.words)))
    progress.close()
    promises = {item.place.name: item.words for item in proposals if item.words}
    is_printed = options.prints or project.file is None
    new = section.lines(promises, {item.place.name for item in proposals if item.is_synthesised})
    if promises:
        print(f"{section.HEADER}\n{new}", end="", flush=True)
    if promises and project.file is not None and not is_printed:
        section.write(project.file, new)
    for item in proposals if options.verbose else ():
        if item.why:
            _say(f"{item.place.name}: not measured: {item.why}")
        for held in item.broken:
            _say(show.line(held))
    if not options.quiet:
        unknown = sum(bool(item.why) for item in proposals)
        where = "printed" if is_printed else f"written to {project.file}"
        _say(f"{len(promises)} of {len(proposals)} classes keep something, {where if promises else 'nothing was written'}; {unknown} not measured")
    return PASSED


def _say(text: str) -> None:
    print(f"torchtrace: {text}", file=sys.stderr)


def hold_all(project: Project, promised: Sequence[Promised], session: Session) -> tuple[list[Held], str, list[str]]:
    """Every promise, torch's version, and sentences about the tool."""
    held: list[Held] = []
    notes: list[str] = []
    torch = ""
    blame = project.blame
    for item in promised:
        answer = ask(session, item)
        held += hold(item, answer, blame)
        notes += answer.get("notes", [])
        torch = answer.get("torch") or torch
    return held, torch, notes
