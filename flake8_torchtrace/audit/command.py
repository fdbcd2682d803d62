"""``torchtrace audit``: lint and verify whole trees, write reports, and say by the exit status whether they pass."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from flake8_torchtrace.audit import assemble, baseline, output
from flake8_torchtrace.audit.assemble import Known
from flake8_torchtrace.audit.changed import changed_files
from flake8_torchtrace.audit.check import Checked, Checker
from flake8_torchtrace.audit.files import common_folder, python_files
from flake8_torchtrace.audit.findings import Findings
from flake8_torchtrace.audit.gate import FAILED, GATES, INTERRUPTED, NOT_DONE, PASSED
from flake8_torchtrace.audit.importers import importers
from flake8_torchtrace.audit.pool import check_all
from flake8_torchtrace.audit.progress import Progress
from flake8_torchtrace.audit.settings import OWN, REPEATED, SHARED, Settings, arguments, begin
from flake8_torchtrace.config import Config
from flake8_torchtrace.pyproject import ConfigError
from flake8_torchtrace.report import FORMATS
from flake8_torchtrace.report.changes import Kind
from flake8_torchtrace.report.content import Content, Level
from flake8_torchtrace.run import Run
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify.home import usable_cores

_NAMED = 10
_HELP = {"python": "verify with the torch of this interpreter; given twice, also say what an upgrade from the first to the second changes"}



def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the ``torchtrace`` parser."""
    parser = commands.add_parser(
        "audit",
        help="lint and verify whole trees, with reports and a gate for CI",
        description="Checks all Python files under PATHS, by the rules, settings and verdicts of flake8-torchtrace. Exit status: 0 if nothing "
        "fails, 1 if a finding does, 2 if the audit could not do its work.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files and folders")
    output.add_to(parser)
    parser.add_argument(
        "--fail-on", choices=[level.value for level in GATES], default=Level.LIKELY.value,
        help="the weakest finding that fails the audit (default: likely, unless torch dismissed it)",
    )  # fmt: skip
    parser.add_argument("--baseline", metavar="FILE", help="let pass the findings that FILE counts")
    parser.add_argument("--update-baseline", action="store_true", help="make --baseline FILE say what is found now")
    parser.add_argument("--changed-only", action="store_true", help="only files that git says were changed, and files that import or ran them")
    parser.add_argument("--base", metavar="REF", help="with --changed-only: changed since the branch REF was left (default: since the last commit)")
    parser.add_argument("--no-project", action="store_true", help="read each file by itself; else calls are followed through all of PATHS")
    parser.add_argument("--cluster", metavar="ADDRESS", help="check the files on the Dask cluster with this scheduler, which sees the same checkout")
    parser.add_argument("--cluster-timeout", type=float, default=1800.0, metavar="SECONDS", help="with --cluster: limit for one file (default: 1800)")
    parser.add_argument("--cluster-memory", type=int, default=8192, metavar="MIB", help="with --cluster: limit for one file (default: 8192)")
    parser.add_argument("--quiet", action="store_true", help="no progress and no summary")
    _add_flake8_options(parser)
    parser.set_defaults(run=run)


def _add_flake8_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("settings of flake8 and of the plugin, as on flake8's command line; --verify RUNS THE CODE of PATHS")
    for name, metavar in (*OWN.items(), *SHARED.items()):
        flags = [f"--{name}", *([f"--torchtrace-{name}"] if name in OWN else [])]
        if name == "jobs":
            flags.append("-j")
        dest = name.replace("-", "_")
        if metavar is None:
            group.add_argument(*flags, dest=dest, action="store_true")
        else:
            help_text = _HELP.get(name)
            group.add_argument(*flags, dest=dest, metavar=metavar, action="append" if name in REPEATED else "store", help=help_text)


def run(options: argparse.Namespace) -> int:
    """Run the command. Raises UsageError for what cannot be done."""
    fail_on = Level(options.fail_on)
    outputs = output.checked(options.outputs)
    known = _known(options)
    _check_combination(options, fail_on)
    if fail_on is Level.POSSIBLE:
        options.possible = True
    settings = Settings(arguments(options), None if options.no_project else common_folder(options.paths))
    try:
        flake8_options, lint_run = begin(settings)
    except ConfigError as error:
        raise UsageError(str(error)) from error
    if lint_run.session is not None and lint_run.session.problem:
        _say(lint_run.session.problem)
    if not (lint_run.config or Config()).no_store:
        lint_run.finder = Findings(lint_run.folder, lint_run.index).find
    try:
        return _audit(options, settings, Checker(flake8_options, lint_run), flake8_options, lint_run, fail_on, outputs, known)
    finally:
        if lint_run.session is not None:
            lint_run.session.close()


def _audit(
    options: argparse.Namespace, settings: Settings, checker: Checker, flake8_options: argparse.Namespace, lint_run: Run,
    fail_on: Level, outputs: Sequence[output.Output], known: Known | None,
) -> int:  # fmt: skip
    files = python_files(options.paths, flake8_options)
    if not files:
        raise UsageError(f"nothing was checked: there is no Python file in {', '.join(options.paths)}")
    if options.changed_only:
        among, files = len(files), _changed(files, options.base, lint_run)
        if not files:
            _say(f"nothing to check: none of {among} files was changed since {options.base or 'the last commit'}")
    progress, checked = Progress(len(files), options.quiet), list[Checked]()

    def done(item: Checked) -> None:
        checked.append(item)
        progress.step(item.path, len(item.found))

    if options.cluster is None:
        is_whole = check_all(files, _jobs(flake8_options), settings, checker, done)
    else:
        is_whole = _on_cluster(files, options, settings, lint_run, done)
    progress.close()
    seen = {item.path for item in checked}
    missing = [path for path in files if path not in seen]
    config = lint_run.config or Config()
    content = assemble.content(checked, missing, config, fail_on, known, with_sources=any(name == "html" for name, _ in outputs))
    output.write(content, outputs, FORMATS)
    if options.update_baseline and known is not None and is_whole:
        baseline.write(known.path, assemble.places(checked, known.path), assemble.kept(checked, known))
    if not options.quiet and files:
        _summarize(content, options.update_baseline)
    _complain(content, checked, options.changed_only)
    if not is_whole:
        return INTERRUPTED
    is_nothing = not options.changed_only and not any(item.is_relevant for item in checked)
    if content.problems or is_nothing:
        return NOT_DONE
    return FAILED if content.failing and not options.update_baseline else PASSED


def _on_cluster(files: Sequence[str], options: argparse.Namespace, settings: Settings, lint_run: Run, done: Callable[[Checked], None]) -> bool:
    from flake8_torchtrace.cluster.job import job
    from flake8_torchtrace.cluster.scheduler import check_all
    from flake8_torchtrace.verify.store import Store

    keeps = lint_run.session is not None and not (lint_run.config or Config()).no_store
    store = Store(lint_run.folder) if keeps else None
    work = job(settings, options.cluster_timeout, options.cluster_memory, lint_run.index)
    return check_all(files, options.cluster, work, store, done)


def _check_combination(options: argparse.Namespace, fail_on: Level) -> None:
    if options.update_baseline and options.baseline is None:
        raise UsageError("--update-baseline needs --baseline FILE")
    if options.base is not None and not options.changed_only:
        raise UsageError("--base goes with --changed-only")
    if fail_on is Level.CONFIRMED and not (options.verify or options.python):
        raise UsageError("--fail-on confirmed needs --verify: without it torch confirms nothing")


def _known(options: argparse.Namespace) -> Known | None:
    if options.baseline is None:
        return None
    if options.update_baseline and not os.path.exists(options.baseline):
        return Known(options.baseline, ())
    return Known(options.baseline, baseline.read(options.baseline))


def _changed(files: Sequence[str], base: str | None, lint_run: Run) -> list[str]:
    changed = changed_files(base)
    real = {os.path.realpath(path): path for path in files}
    recipes = lint_run.config.recipes if lint_run.config is not None else None
    if recipes in changed:
        return list(files)  # they say what is run
    touching = lint_run.session.touching(changed) if lint_run.session is not None else set()
    wanted = ((changed | touching) & set(real)) | importers(changed, real)
    return sorted(real[path] for path in wanted)


def _jobs(options: argparse.Namespace) -> int:
    return usable_cores() if options.jobs.is_auto else max(1, int(options.jobs.n_jobs))


def _summarize(content: Content, is_updated: bool) -> None:
    counts = {level: sum(item.level is level for item in content.items) for level in reversed(Level)}
    told = ", ".join(f"{count} {level.value}" for level, count in counts.items() if count) or "no findings"
    known = sum(item.is_known for item in content.items)
    in_baseline = f"; {known} in the baseline" if content.has_baseline else ""
    failing = "" if is_updated else f"; {len(content.failing)} at or above {content.fail_on.value}{' and new' if content.has_baseline else ''}"
    torch = f" on torch {content.torch}" if content.torch else ""
    files = "1 file" if len(content.checked) == 1 else f"{len(content.checked)} files"
    _say(f"{files} checked{torch}: {told}{in_baseline}{failing}")
    if content.comparison is not None:
        before, after = (torch or "none" for torch in content.comparison.torches)
        changed = ", ".join(f"{len(content.comparison.of(kind))} {kind.words}" for kind in Kind)
        _say(f"from torch {before} to {after}: {changed}")


def _complain(content: Content, checked: Sequence[Checked], is_changed_only: bool) -> None:
    for problem in content.problems:
        _say(f"not checked: {problem.path}:{problem.line}: {problem.message}")
    _list("in the baseline and not found any more (--update-baseline takes it out)", content.vanished)
    if content.missing:
        _say(f"interrupted: {len(content.missing)} of {len(content.missing) + len(checked)} files were not checked")
        _list("not checked", content.missing)
        _say("run the same command again: it goes on where it was")
    elif not is_changed_only and not any(item.is_relevant for item in checked):
        _say("nothing was checked: no file has to do with torch")


def _list(what: str, items: Sequence[str]) -> None:
    for item in items[:_NAMED]:
        _say(f"{what}: {item}")
    if len(items) > _NAMED:
        _say(f"{what}: and {len(items) - _NAMED} more")


def _say(text: str) -> None:
    print(f"torchtrace: {text}", file=sys.stderr)
