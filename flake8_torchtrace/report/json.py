"""JSON by ``audit-1.schema.json``, which stands beside this file and is its documentation."""

from __future__ import annotations

import json
from typing import Any

from flake8_torchtrace.model import Frame, Observation, Span, Target, TargetVerdict, Verdict
from flake8_torchtrace.report.changes import Change, Comparison, Kind
from flake8_torchtrace.report.content import Content, Item, Level
from flake8_torchtrace.report.modules import Module, Standing

SCHEMA_VERSION = 1


def write(content: Content) -> str:
    """The document, ended by a newline."""
    return json.dumps(document(content), indent=2, ensure_ascii=False) + "\n"


def document(content: Content) -> dict[str, Any]:
    """The document as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "flake8-torchtrace", "version": content.version},
        "python": content.python,
        "torch": content.torch or None,
        "targets": [target.value for target in content.targets],
        "fail_on": content.fail_on.value,
        "complete": not content.missing and not content.problems,
        "counts": {level.value: sum(item.level is level for item in content.items) for level in Level},
        "failing": len(content.failing),
        "checked": list(content.checked),
        "missing": list(content.missing),
        "problems": [{"path": item.path, "line": item.line, "message": item.message} for item in content.problems],
        "vanished": list(content.vanished),
        "comparison": None if content.comparison is None else _comparison(content.comparison),
        "modules": [_module(module) for module in content.modules],
        "findings": [_finding(item) for item in content.items],
        "rules": {
            code: {"name": item.name, "summary": item.summary, "help": item.text} for code, item in sorted(content.rules.items())
        },
    }


def _finding(item: Item) -> dict[str, Any]:
    finding = item.finding
    return {
        "path": item.path,
        "code": finding.code,
        "rule": finding.rule,
        "message": finding.message,
        "level": item.level.value,
        "confidence": finding.confidence.value,
        "family": finding.family.value,
        "targets": _ordered(finding.targets),
        "span": _span(finding.span),
        "statement": _span(finding.statement),
        "related": [_span(span) for span in finding.related],
        "function": finding.function,
        "owner": finding.owner,
        "chain": list(finding.chain),
        "evidence": finding.evidence,
        "fingerprint": item.fingerprint,
        "known": item.is_known,
        "fails": item.fails,
        "verdict": None if item.verdict is None else _verdict(item.verdict),
    }


def _module(module: Module) -> dict[str, Any]:
    return {
        "path": module.path,
        "name": module.name,
        "line": module.line or None,
        "standing": [standing.value for standing in Standing if standing in module.standing],
        "reason": module.reason,
        "targets": {
            target.value: {"status": state.status, "graphs": state.graphs, "operators": state.ops, "why": state.why}
            for target, state in module.states.items()
        },
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    sides = zip(comparison.pythons, comparison.torches, strict=True)
    before, after = ({"python": python, "torch": torch or None} for python, torch in sides)
    return {
        "before": before,
        "after": after,
        "counts": {kind.value: len(comparison.of(kind)) for kind in Kind},
        "changes": [_change(change) for change in comparison.changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "path": change.path,
        "code": change.finding.code,
        "message": change.finding.message,
        "family": change.finding.family.value,
        "span": _span(change.finding.span),
        "function": change.finding.function,
        "before": {target.value: _judged(change.before[target]) for target in change.targets},
        "after": {target.value: _judged(change.after[target]) for target in change.targets},
    }


def _ordered(targets: frozenset[Target]) -> list[str]:
    return [target.value for target in Target if target in targets]


def _span(span: Span) -> dict[str, int]:
    """Columns from 1, as editors and the other formats count; the end is exclusive."""
    return {"line": span.line, "column": span.column + 1, "end_line": span.end_line, "end_column": span.end_column + 1}


def _verdict(verdict: Verdict) -> dict[str, Any]:
    ordered = [target for target in Target if target in verdict.targets]
    return {
        "outcome": verdict.outcome.value,
        "torch": verdict.torch or None,
        "inputs": verdict.inputs or None,
        "targets": {target.value: _judged(verdict.targets[target]) for target in ordered},
    }


def _judged(judged: TargetVerdict) -> dict[str, Any]:
    observation = None if judged.observation is None else _observation(judged.observation)
    return {"outcome": judged.outcome.value, "detail": judged.detail, "observation": observation}


def _observation(observation: Observation) -> dict[str, Any]:
    return {
        "kind": observation.kind.value,
        "reason": observation.reason,
        "gb_id": observation.gb_id,
        "family": observation.family.value,
        "exception": observation.exception,
        "tracer": observation.tracer,
        "subject": observation.subject,
        "stack": [_frame(frame) for frame in observation.stack],
    }


def _frame(frame: Frame) -> dict[str, Any]:
    return {"path": frame.path, "line": frame.line, "function": frame.function}
