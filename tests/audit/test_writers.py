"""What an audit writes, form by form."""

from __future__ import annotations

import json
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from audit_contents import everything, finding, item, nothing
from flake8_program import ROOT

from flake8_torchtrace.report import FORMATS
from flake8_torchtrace.report.content import Content

SCHEMA = json.loads((ROOT / "flake8_torchtrace" / "report" / "audit-1.schema.json").read_text(encoding="utf-8"))
BOTH = pytest.mark.parametrize("content", [everything(), nothing()], ids=["everything", "nothing"])


def as_json(content: Content) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(FORMATS["json"](content))
    return loaded


def sarif_run(content: Content) -> dict[str, Any]:
    log = json.loads(FORMATS["sarif"](content))
    assert (log["version"], len(log["runs"])) == ("2.1.0", 1)
    run: dict[str, Any] = log["runs"][0]
    return run


@BOTH
def test_json_is_as_its_schema_says(content: Content) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(as_json(content))


def test_the_schema_takes_nothing_else() -> None:
    document = as_json(everything())
    document["findings"][0]["more"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_json_counts_columns_from_one() -> None:
    (found, *_) = as_json(everything())["findings"]
    assert found["span"] == {"line": 3, "column": 5, "end_line": 3, "end_column": 10}
    assert found["verdict"]["targets"]["compile"]["observation"]["stack"][1] == {"path": "helpers/far away.py", "line": 7, "function": "helper"}
    assert (found["level"], found["fails"], found["known"]) == ("confirmed", True, False)


def test_text_is_one_line_for_each_finding() -> None:
    text = FORMATS["text"](everything())
    lines = text.splitlines()
    assert text.count("\n") == len(lines) == 5
    assert lines[0] == "net.py:3:5: TTR101 breaks (by way of net.py:3 forward > helpers/far away.py:7 helper)"
    assert lines[2] == "folder/o ther.py:1:5: TTR201 breaks"
    assert "\x1b" not in text
    assert FORMATS["text"](nothing()) == ""


def check_region(region: dict[str, int]) -> None:
    """Section 3.30 of SARIF 2.1.0: lines and columns from 1, the end after the start."""
    assert region["startLine"] >= 1
    if "endLine" in region:
        assert region["startColumn"] >= 1
        assert (region["endLine"], region["endColumn"]) > (region["startLine"], region["startColumn"])


@BOTH
def test_sarif_points_to_what_it_defines(content: Content) -> None:
    run = sarif_run(content)
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [result["ruleId"] for result in run["results"]]
    for result in run["results"]:
        flows = [step["location"] for flow in result.get("codeFlows", ()) for thread in flow["threadFlows"] for step in thread["locations"]]
        for location in (*result["locations"], *result.get("relatedLocations", ()), *flows):
            check_region(location["physicalLocation"]["region"])
            assert " " not in location["physicalLocation"]["artifactLocation"]["uri"]
        assert set(result["partialFingerprints"]) == {"torchtrace/v1"}
        assert result["level"] in ("error", "warning", "note")


def test_sarif_says_all_that_is_known() -> None:
    run = sarif_run(everything())
    first, possible, _, elsewhere, known = run["results"]
    assert first["locations"][0]["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 10}
    (flow,) = first["codeFlows"]
    steps = [step["location"] for step in flow["threadFlows"][0]["locations"]]
    assert [step["message"]["text"] for step in steps] == ["forward", "helper"]
    assert steps[1]["physicalLocation"]["artifactLocation"]["uri"] == "helpers/far%20away.py"
    assert [result["level"] for result in run["results"]] == ["error", "note", "note", "note", "warning"]
    assert (first["baselineState"], known["baselineState"], "codeFlows" in possible) == ("new", "unchanged", False)
    assert elsewhere["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "file:///elsewhere/net.py"
    assert run["tool"]["driver"]["rules"][1]["help"]["markdown"] == "Why.\n\nWhat to do."
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 2
    assert sarif_run(nothing())["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_github_commands_hold_no_raw_separator() -> None:
    lines = FORMATS["github"](everything()).splitlines()
    assert lines[0] == "::error file=net.py,line=3,endLine=3,col=5,endColumn=9,title=TTR101 some-rule::breaks"
    assert lines[1].startswith("::notice ")
    assert "100%25" in lines[1]
    assert "%0Anext" in lines[1]
    assert lines[-1].startswith("::error file=broken.py,line=5,endLine=5,title=not checked::")
    assert len(lines) == 6


def test_github_leaves_out_columns_of_several_lines() -> None:
    found = finding(span=finding().statement)
    content = Content("1", "3", "", (), everything().fail_on, (item(found=found, message="m: 1, 2"),))
    assert FORMATS["github"](content) == "::warning file=net.py,line=3,endLine=4,title=TTR101 some-rule::m: 1, 2\n"


def test_gitlab_lists_what_is_new() -> None:
    issues = json.loads(FORMATS["gitlab"](everything()))
    assert [(issue["check_name"], issue["severity"]) for issue in issues] == [
        ("TTR101", "major"), ("TTR103", "info"), ("TTR201", "info"), ("TTR005", "info"), ("not-checked", "critical"),
    ]  # fmt: skip
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    assert issues[0]["location"] == {"path": "net.py", "lines": {"begin": 3, "end": 3}}
    assert json.loads(FORMATS["gitlab"](nothing())) == []


def test_junit_has_a_case_for_each_file_and_target() -> None:
    root = ElementTree.fromstring(FORMATS["junit"](everything()))
    assert dict(root.attrib) == {"name": "torchtrace audit", "tests": "18", "failures": "1", "errors": "2"}
    failing = [(case.get("classname"), case.get("name")) for case in root.iter("testcase") if case.find("failure") is not None]
    assert failing == [("net.py", "compile")]
    clean = next(suite for suite in root if suite.get("name") == "clean.py")
    assert [case.get("name") for case in clean] == ["compile", "fullgraph", "export-strict", "export-nonstrict"]
    assert [suite.get("name") for suite in root if suite.find("testcase/error") is not None] == ["broken.py", "late.py"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_form_can_be_written_to_a_file(name: str) -> None:
    FORMATS[name](everything()).encode("utf-8", "backslashreplace")
