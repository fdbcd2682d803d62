"""``torchtrace ready --explain NAME``: the experiment behind the promises of one class, for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flake8_torchtrace.ready.collect import Promised
from flake8_torchtrace.ready.experiments import ask
from flake8_torchtrace.ready.hold import Held, hold
from flake8_torchtrace.ready.names import UnknownNameError
from flake8_torchtrace.ready.project import Project
from flake8_torchtrace.ready.promises import EXPORT_READY, from_text
from flake8_torchtrace.usage import UsageError
from flake8_torchtrace.verify import Session

_NOTHING = "promises nothing; this is what it would keep of export-ready"


def explained(project: Project, name: str, session: Session) -> list[str]:
    """Lines about the class ``name``. Raises UsageError if there is none."""
    promised = chosen(project, name)
    answer = ask(session, promised, describe=True)
    held = hold(promised, answer, project.blame)
    torch = f" on torch {answer['torch']}" if answer.get("torch") else ""
    lines = [f"{promised.name} ({promised.place.path}:{promised.place.outline.span.line}){torch}", f"declared: {promised.where or _NOTHING}"]
    lines += [f"  {_verdict(item)}" for item in held]
    for run in answer.get("runs", ()):
        lines += ["", f"with {run['label']}", *(f"  {line}" for line in _run(run))]
    return lines


def chosen(project: Project, name: str) -> Promised:
    """The class ``name`` with what it promises, or what it could. Raises UsageError if there is none."""
    for promised in project.promised():
        if name in (promised.name, promised.place.outline.name):
            return promised
    try:
        return Promised(project.names.find(name), from_text(EXPORT_READY), "")
    except UnknownNameError as error:
        raise UsageError(f"--explain: {error}") from error


def _verdict(held: Held) -> str:
    if held.is_kept:
        return f"kept: {held.words}"
    follows = f" (and with it {', '.join(promise.value for promise in held.follows)})" if held.follows else ""
    return f"broken: {held.words}{follows}, at {held.spot}: {held.why}"


def _run(run: dict[str, Any]) -> Iterator[str]:
    if run["reason"] is not None:
        yield f"could not run: {run['reason']}"
        return
    for repeat in run.get("repeats", ()):
        yield from _repeat(repeat)
    described = run["described"]
    if not described["ok"]:
        yield f"could not be described: {described['reason']}"
        return
    yield from _described(described["value"])


def _repeat(repeat: dict[str, Any]) -> Iterator[str]:
    if repeat["status"] == "unusable":
        yield f"compile: {repeat['why']}"
        return
    how = "compile, fullgraph" if repeat["fullgraph"] else "compile"
    yield f"{how}: {repeat['calls']} calls, {len(repeat['observations'])} breaks, {len(repeat['recompiles'])} recompiles"
    for recompile in repeat["recompiles"]:
        yield f"  recompiled in {recompile['function']}, line {recompile['line']}: {recompile['guard']}"


def _described(found: dict[str, Any]) -> Iterator[str]:
    yield f"mode: {found['mode']}"
    yield from _list("inputs", [f"{name} = {value}" for name, value in found["inputs"].items()])
    if found["error"] is not None:
        yield f"export (non-strict): {found['error'].splitlines()[0]}"
        return
    yield from _list("graph", found["graph"].splitlines())
    yield from _list("takes", found["takes"])
    yield from _list("gives", found["gives"])
    yield from _list("range constraints", [f"{symbol}: {limits}" for symbol, limits in found["ranges"].items()])
    if found["not_saved"] is not None:
        yield f"archive: cannot be saved: {found['not_saved']}"
    else:
        yield from _list("archive", found["archive"])


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield f"{title}:" if lines else f"{title}: none"
    yield from (f"  {line}" for line in lines)
