"""SARIF 2.1.0 (OASIS standard): ranges, fingerprints, help for each rule, and torch's stack as a code flow."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from flake8_torchtrace.model import Span
from flake8_torchtrace.report.content import Content, Item, Level, RuleHelp

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {Level.CONFIRMED: "error", Level.LIKELY: "warning"}


def write(content: Content) -> str:
    """The log, ended by a newline."""
    return json.dumps(log(content), indent=2, ensure_ascii=False) + "\n"


def log(content: Content) -> dict[str, Any]:
    """The log as plain data: one run."""
    codes = sorted({item.finding.code for item in content.items})
    driver = {
        "name": "flake8-torchtrace",
        "version": content.version,
        "semanticVersion": content.version,
        "rules": [_rule(code, content.rules.get(code)) for code in codes],
    }
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(content)],
        "results": [_result(item, codes.index(item.finding.code), content.has_baseline) for item in content.items],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str, found: RuleHelp | None) -> dict[str, Any]:
    if found is None:
        return {"id": code}
    return {
        "id": code,
        "name": "".join(part.capitalize() for part in found.name.split("-")),
        "shortDescription": {"text": found.summary},
        "fullDescription": {"text": found.summary},
        "help": {"text": found.text, "markdown": found.text},
    }


def _invocation(content: Content) -> dict[str, Any]:
    told = [(problem.path, problem.line, problem.message) for problem in content.problems]
    told += [(path, 1, "the audit was interrupted before it came to this file") for path in content.missing]
    notifications = [
        {"level": "error", "message": {"text": message}, "locations": [_location(path, Span(line, 0, line, 0))]} for path, line, message in told
    ]
    return {"executionSuccessful": not told, "toolExecutionNotifications": notifications}


def _result(item: Item, rule_index: int, has_baseline: bool) -> dict[str, Any]:
    finding = item.finding
    location = _location(item.path, finding.span)
    if finding.function:
        name = finding.function
        location["logicalLocations"] = [{"name": name.rpartition(".")[2], "fullyQualifiedName": name, "kind": "function"}]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": _LEVELS.get(item.level, "note"),
        "message": {"text": item.message},
        "locations": [location],
        "partialFingerprints": {"torchtrace/v1": item.fingerprint},
        "properties": {"confidence": finding.confidence.value, "family": finding.family.value, "torchtraceLevel": item.level.value},
    }
    if finding.related:
        result["relatedLocations"] = [{"id": number, **_location(item.path, span)} for number, span in enumerate(finding.related, 1)]
    if item.stack:
        result["codeFlows"] = [{"threadFlows": [{"locations": [_step(*place) for place in item.stack]}]}]
    if has_baseline:
        result["baselineState"] = "unchanged" if item.is_known else "new"
    return result


def _step(path: str, line: int, function: str) -> dict[str, Any]:
    location = {"message": {"text": function}, **_location(path, Span(line, 0, line, 0))}
    return {"location": location}


def _location(path: str, span: Span) -> dict[str, Any]:
    region = {"startLine": span.line}
    if (span.end_line, span.end_column) > (span.line, span.column):  # else only the line is known
        region |= {"startColumn": span.column + 1, "endLine": span.end_line, "endColumn": span.end_column + 1}
    return {"physicalLocation": {"artifactLocation": {"uri": uri(path)}, "region": region}}


def uri(path: str) -> str:
    """``path`` as a URI reference: absolute ones with their scheme."""
    pure = PurePath(path)
    return pure.as_uri() if pure.is_absolute() else quote(pure.as_posix(), errors="surrogateescape")
