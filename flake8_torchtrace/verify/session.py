"""What flake8's processes hold of the verification: one session, made in the main process and used from all of them."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import socket
import sys
import tokenize
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..folder import STORE
from ..inputs.declared import CONVENTIONS, declared
from ..model import EXPORT_TARGETS, Family, Finding, Outcome, TargetVerdict, Verdict
from .home import Home, VerifySettings, find_homes, forget_home, hold_home, is_first_to_tell, make_home
from .launch import ServerError, ask_server, end_server, start_server
from .losses_found import effect_verdict, is_same_claim, losses_found
from .match import match
from .request import request
from .results import Run, parse_run
from .sizes_found import sizes_found
from .statements import Statements

if TYPE_CHECKING:
    from .recall import Recall

_INPUT_WORDS = ("def make(", *CONVENTIONS)
_SHARE_OF_SEARCH = 0.7  # of the time for a child: the rest is for importing
_CAN_FORK = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")


@dataclass(frozen=True)
class Verification:
    """``torch``: version, empty if not to be had. ``extra``: breaks no rule predicted. ``notes``: about the tool.

    ``before``: the verdicts of another torch on ``verdicts`` and ``extra``, in that order, where two were asked.
    ``unjudged`` are findings of which nothing is known and nothing was asked. ``runs`` are what the verdicts rest on.
    """

    torch: str
    verdicts: tuple[tuple[Finding, Verdict], ...]
    extra: tuple[tuple[Finding, Verdict], ...] = ()
    notes: tuple[str, ...] = ()
    before: tuple[Verdict, ...] = ()
    unjudged: tuple[Finding, ...] = ()
    runs: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Asked:
    """What came of a question about the file ``path`` (real path): the server's ``answer``, or the ``reason`` why there is none."""

    path: str
    answer: dict[str, Any] = field(default_factory=dict)
    reason: str = ""


_NO_ANSWER: dict[str, Any] = {"runs": [], "problems": [], "notes": [], "torch": ""}


class Session:
    """One flake8 run. Making it starts nothing; the first ``verify`` starts the server, which ends with its maker."""

    def __init__(self, settings: VerifySettings, home: Home | None = None) -> None:
        if home is None and _CAN_FORK:
            home = make_home(settings)
            self._held = hold_home(home)
            atexit.register(self.close)
        self.settings = home.settings if home is not None else settings
        self._home = home
        self._recall = _recall(home)

    @classmethod
    def attach(cls) -> list[Session]:
        """The main process's sessions, in a worker that inherited only the environment."""
        return [cls(home.settings, home) for home in find_homes()]

    @property
    def directory(self) -> str:
        """Where the session's files are."""
        return self._home.directory if self._home is not None else ""

    def warm(self, path: str, source: str) -> None:
        """Start the server if ``source`` may have inputs and no run of it is known, so that torch is imported while the file is linted.

        What goes wrong is told by `verify`.
        """
        may_have_inputs = self.settings.recipes is not None or any(word in source for word in _INPUT_WORDS)
        if self._home is None or not may_have_inputs or "torch" not in source:
            return
        if self._recall is None or not self._recall.knows(os.path.realpath(path), source):
            with contextlib.suppress(ServerError, OSError):
                start_server(self._home)

    def offers_inputs(self, source: str) -> bool:
        """Whether there may be something to run for a file with this text, whatever was found in it. Raises SyntaxError."""
        offered = declared(source)
        return bool(offered.classes) and (offered.make or offered.example_inputs or bool(offered.conventional) or self.settings.recipes is not None)

    def verify(self, path: str, source: str, findings: Sequence[Finding]) -> Verification:
        """Run what ``path`` offers through torch and judge ``findings``. What goes wrong becomes a verdict's reason."""
        return self.judge(source, findings, self.ask(path, source, findings))

    def ask(self, path: str, source: str, findings: Sequence[Finding]) -> Asked:
        """Run what ``path`` offers through torch, as far as it bears on ``findings``. Never raises."""
        path = os.path.realpath(path)
        if self._home is None:
            return Asked(path, reason="verification needs a system that can fork, such as Linux or macOS")
        try:
            if not is_on_disk(path, source):
                return Asked(path, reason="this text is not what the file on disk holds")
            asked = self._request(path, source, findings)
            if not _has_anything(asked):
                return Asked(path, self._with_recorded(path, _NO_ANSWER))  # torch has nothing to run
            answer = self._with_recorded(path, self._answer(self._home, path, source, asked))
        except ServerError as error:
            return Asked(path, reason=str(error))
        except OSError as error:
            return Asked(path, reason=f"the verification server cannot be reached: {error}")
        except SyntaxError as error:
            return Asked(path, reason=f"the file does not parse: {error}")
        return Asked(path, answer, answer.get("failure", ""))

    def judge(self, source: str, findings: Sequence[Finding], asked: Asked) -> Verification:
        """The verdicts on ``findings`` that follow from ``asked``."""
        if asked.reason:
            return self._unverified(findings, asked.reason)
        return self._matched(asked.path, source, findings, asked.answer)

    def _with_recorded(self, path: str, answer: dict[str, Any]) -> dict[str, Any]:
        """``answer`` with what programs showed that were recorded by the same interpreter."""
        store = self.settings.store if "recorded" in self.settings.inputs else None
        if store is None or self.settings.python != sys.executable or "failure" in answer or not os.path.isfile(os.path.join(store, STORE)):
            return answer
        from .kept import Kept, of_targets

        runs = of_targets(Kept(store).runs(path), self.settings.targets)
        torch = next((run["torch"] for run in runs if run["torch"]), "")
        return {**answer, "runs": [*answer["runs"], *runs], "torch": answer["torch"] or torch}

    def put(self, path: str, source: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to ``request`` (`request.request`) about ``path``, from the store if it is known. Raises ServerError, OSError."""
        if self._home is None:
            raise ServerError("running a module needs a system that can fork, such as Linux or macOS")
        return self._answer(self._home, path, source, request)

    def touching(self, files: Iterable[str]) -> set[str]:
        """The files whose known runs touched one of ``files`` (real paths)."""
        return self._recall.touching(files) if self._recall is not None else set()

    @property
    def problem(self) -> str:
        """Why answers are not kept, in words; empty if they are, or need not be."""
        return self._recall.problem if self._recall is not None else ""

    def close(self) -> None:
        """End the server and remove the session's files. Does nothing in a process that did not make the session."""
        home = self._home
        if home is None or os.getpid() != home.owner:
            return
        self._home = None
        atexit.unregister(self.close)
        end_server(home)
        shutil.rmtree(home.directory, ignore_errors=True)
        os.close(self._held)
        forget_home(home)

    def _request(self, path: str, source: str, findings: Sequence[Finding]) -> dict[str, Any]:
        offered, statements = declared(source), Statements(source)
        takes_declared = "recipe" in self.settings.inputs
        if not takes_declared:
            offered = replace(offered, make=False, example_inputs=False, conventional=(), inheriting=())
        return request(
            path,
            offered,
            self.settings.targets,
            recipes=self.settings.recipes if takes_declared else None,
            owners=sorted({finding.owner for finding in findings if finding.owner}),
            functions=sorted({statements.function_around(finding.span.line) for finding in findings}),
            lines=sorted(finding.span.line for finding in findings),
            dynamic=self.settings.dynamic,
            replay=self.settings.replay and not EXPORT_TARGETS.isdisjoint(self.settings.targets),
            synthesis=self._synthesis(findings, statements),
        )

    def _synthesis(self, findings: Sequence[Finding], statements: Statements) -> dict[str, Any] | None:
        """What inputs are made for where nobody wrote any, if that is wanted: the classes with findings."""
        inputs = self.settings.inputs
        if "synthesised" not in inputs:
            return None
        owned: dict[str, set[tuple[int, int]]] = {}
        lines: dict[str, set[tuple[int, int]]] = {}
        for finding in findings:
            if finding.owner:
                owned.setdefault(finding.owner, set()).add(statements.function_around(finding.span.line))
                proof = statements.proof(finding.statement, finding.span) or finding.statement
                lines.setdefault(finding.owner, set()).add((proof.line, proof.end_line))
        first = "recipe" in inputs and inputs.index("synthesised") < inputs.index("recipe")
        spans, places = ({owner: sorted(map(list, found)) for owner, found in sorted(by.items())} for by in (owned, lines))
        return {"owned": spans, "lines": places, "seconds": self.settings.timeout * _SHARE_OF_SEARCH, "first": first}

    def _answer(self, home: Home, path: str, source: str, asked: dict[str, Any]) -> dict[str, Any]:
        if self._recall is None:
            return ask_server(home, asked)
        return self._recall.answer(path, source, asked, lambda: ask_server(home, asked))

    def _matched(self, path: str, source: str, findings: Sequence[Finding], answer: dict[str, Any]) -> Verification:
        runs = [parse_run(run) for run in answer["runs"]]
        problems: list[str] = answer["problems"]

        def without_runs(finding: Finding) -> str:
            return problems[0] if problems else _no_inputs(finding)

        effects = [finding for finding in findings if finding.family is Family.EFFECT]
        breaks = [finding for finding in findings if finding.family is not Family.EFFECT]
        targets, torch = self.settings.targets, answer["torch"]
        matched = match(path, source, breaks, runs, targets, torch, without_runs)
        lost, not_compared = losses_found(path, source, runs, torch)
        told = problems if runs or not findings else []
        general = [note for note in answer["notes"] if self._home is None or is_first_to_tell(self._home, note)]
        sizes, not_asked = sizes_found(path, source, runs, torch)
        notes = dict.fromkeys([*general, *told, *matched.notes, *not_asked, *not_compared])
        judged = dict(matched.verdicts)
        judged |= {item: effect_verdict(item, path, source, runs, targets, torch, without_runs(item)) for item in effects}
        lost = [(item, verdict) for item, verdict in lost if not any(is_same_claim(item, claim) for claim in effects)]
        extra = (*matched.extra, *sizes, *lost)
        return Verification(torch, tuple((item, judged[item]) for item in findings), extra, tuple(notes), runs=tuple(runs))

    def _unverified(self, findings: Sequence[Finding], reason: str) -> Verification:
        targets = {target: TargetVerdict(Outcome.UNVERIFIED, reason) for target in self.settings.targets}
        notes = () if findings else (reason,)
        return Verification("", tuple((finding, Verdict("", targets)) for finding in findings), notes=notes)


def _recall(home: Home | None) -> Recall | None:
    if home is None or home.settings.store is None:
        return None
    from .recall import Recall

    return Recall(home.settings.store, home)


def _has_anything(asked: dict[str, Any]) -> bool:
    """Whether there is anything to run."""
    wanted = ("make", "example_inputs", "recipes", "conventional")
    return any(asked.get(name) for name in wanted) or bool(asked.get("synthesis", {}).get("owned"))


def _no_inputs(finding: Finding) -> str:
    name = finding.owner or finding.function
    return f"no inputs for {name} (how: make() or example_inputs() in this file, or a recipe)"


def is_on_disk(path: str, source: str) -> bool:
    """Whether the file ``path`` holds the text ``source``."""
    try:
        with tokenize.open(path) as file:
            return _lines(file.read()) == _lines(source)
    except (OSError, UnicodeDecodeError):
        return False


def _lines(text: str) -> list[str]:
    return text.lstrip("\ufeff").splitlines()
