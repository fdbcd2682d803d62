"""From a file to findings: gate, traced regions, rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from flake8_torchtrace.model import Confidence, Family, Finding, Span
from flake8_torchtrace.source.claims import Claim, LintSettings, claim
from flake8_torchtrace.source.collector import Collector, confidence_of
from flake8_torchtrace.source.compiled import may_compile
from flake8_torchtrace.source.definitions import read_definitions
from flake8_torchtrace.source.entries import enter, entry_points
from flake8_torchtrace.source.gate import may_be_traced
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.numpy_calls import without_numpy
from flake8_torchtrace.source.orphans import is_tensor_library, may_be_part_of_model, orphans
from flake8_torchtrace.source.places import Places
from flake8_torchtrace.source.project import NO_PROJECT, Project
from flake8_torchtrace.source.rule import Event, Hit, Rule
from flake8_torchtrace.source.rules import dispatch
from flake8_torchtrace.source.segment import Segment
from flake8_torchtrace.source.site import Site


def find(
    path: str, tree: ast.Module, lines: Sequence[str], settings: LintSettings, project: Project = NO_PROJECT
) -> list[Finding]:
    """The findings of one file, in order. Never raises for what stands in the file: trouble becomes one ``TTR0xx`` finding."""
    if not may_be_traced(lines, ("forward", *settings.methods), project.is_traced(), True):
        return []
    try:
        return sorted(_Engine(path, tree, lines, settings, project).findings(), key=lambda finding: (finding.span, finding.code))
    except RecursionError:
        return [_trouble("TTR001", path, "the file nests too deeply to be analysed; nothing in it was checked")]
    except Exception as error:  # a fault of ours must not end flake8's run or hide the other files
        return [_trouble("TTR002", path, f"flake8-torchtrace failed on this file ({_describe(error)}); nothing in it was checked, please report it")]


class _Engine:
    def __init__(self, path: str, tree: ast.Module, lines: Sequence[str], settings: LintSettings, project: Project) -> None:
        self._path = path
        self._tree = tree
        self._lines = lines
        self._settings = settings
        self._project = project
        self._segments: dict[ast.expr | ast.stmt, Segment] = {}
        self._places: Places | None = None
        self._failed: dict[str, str] = {}

    @property
    def places(self) -> Places:
        if self._places is None:
            self._places = Places(self._tree, self._lines)
        return self._places

    def findings(self) -> Iterator[Finding]:
        table = dispatch()
        module, is_package = self._project.module_name(self._path)
        model = read_definitions(self._tree, self._path, module, is_package)
        collector = Collector(table, self._settings.possible)
        it = Interpreter(model, collector, self._project)
        text = "".join(self._lines)
        methods = ("forward", *self._settings.methods)
        for called, function, owner in entry_points(it, self._tree, methods, may_compile(text)):
            it.run_entry(called, function, owner)
        for entry in self._project.entries():
            enter(it, entry)
        # No traced code that is known of comes here: functions that only models need are taken to be traced by code elsewhere.
        is_library = not it.ran and is_tensor_library(it)
        if self._settings.possible or is_library:
            collector.is_speculative = True
            for function, owner in orphans(it):
                collector.is_library = is_library and may_be_part_of_model(it, function)
                it.run_orphan(function, owner)
        found: dict[tuple[str, Span], Finding] = {}
        for (rule, node), events in collector.events.items():
            if not self._settings.may_report(rule):
                continue
            for event in events:
                event.decides = list(it.decisions.get(node, []))
            for finding in self._check(rule, events):
                key = (finding.code, finding.span)
                if key not in found or _is_stronger(finding, found[key]):
                    found[key] = finding
        yield from found.values()
        for rule, (line, error) in collector.failed.items():
            self._failed["TTR004"] = _failure(rule, line, error)
        for code, text in self._failed.items():
            yield _trouble(code, self._path, text)

    def _check(self, rule: Rule, events: list[Event]) -> Iterator[Finding]:
        best = min(events, key=lambda event: (confidence_of(rule, event) is not Confidence.LIKELY, len(event.frame.chain)))
        try:
            segment = self._segment(best.node)
            site = Site(best, segment)
            for hit in rule.check(site):
                claimed = claim(rule, without_numpy(rule, hit, best), best.name, self._settings)
                if claimed is not None:
                    yield self._finding(rule, best, site, hit, claimed)
        except Exception as error:
            self._failed["TTR004"] = _failure(rule, best.node.lineno, error)

    def _segment(self, node: ast.expr | ast.stmt) -> Segment:
        segment = self._segments.get(node)
        if segment is None:
            segment = self._segments[node] = Segment(node, self._lines, self.places.string_around(node))
        return segment

    def _finding(self, rule: Rule, event: Event, site: Site, hit: Hit, claimed: Claim) -> Finding:
        statement = self.places.statement(event.node)
        related = {self.places.statement(node) for node in event.decides} - {statement}
        confidence = confidence_of(rule, event) or Confidence.POSSIBLE
        chain = event.frame.chain
        way = f" ({' -> '.join(chain)})" if len(chain) > 1 else ""
        if event.is_speculative:
            way += " (if traced code elsewhere calls it)"
        return Finding(
            code=claimed.code,
            rule=claimed.name,
            path=self._path,
            span=site.span(hit.node),
            statement=statement,
            message=f"{hit.what}{way}: {claimed.effect}; {rule.instead}",
            confidence=confidence,
            family=claimed.family,
            targets=claimed.targets,
            function=event.frame.info.qualname if event.frame.info else "",
            owner=event.frame.owner,
            chain=chain,
            related=tuple(sorted(related)),
        )


def _is_stronger(new: Finding, old: Finding) -> bool:
    return (new.confidence is not Confidence.LIKELY, len(new.chain)) < (old.confidence is not Confidence.LIKELY, len(old.chain))


def _trouble(code: str, path: str, message: str) -> Finding:
    start = Span(1, 0, 1, 0)
    return Finding(code, "tool", path, start, start, message, Confidence.LIKELY, Family.INTERNAL, frozenset(), "")


def _failure(rule: Rule, line: int, error: BaseException) -> str:
    return f"rule {rule.code} failed on line {line} ({_describe(error)}); please report it"


def _describe(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__



