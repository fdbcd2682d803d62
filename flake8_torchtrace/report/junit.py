"""JUnit XML: a suite for each file, in it a case for each target, so that a CI shows which export is ready."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from flake8_torchtrace.model import Target
from flake8_torchtrace.report import text
from flake8_torchtrace.report.content import Content, Item, Problem


def write(content: Content) -> str:
    """The document. A case fails by the findings that break its target and that the gate does not let pass."""
    root = Element("testsuites", name="torchtrace audit")
    by_path: dict[str, list[Item]] = {path: [] for path in content.checked}
    for item in content.items:
        by_path.setdefault(item.path, []).append(item)
    for path, items in sorted(by_path.items()):
        _suite(root, path, items, content.targets)
    for problem in content.problems:
        _problem(root, problem.path, problem)
    for path in content.missing:
        _problem(root, path, Problem(path, "the audit was interrupted before it came to this file"))
    return document(root)


def document(root: Element) -> str:
    """The text of a document whose suites are counted, with their sums."""
    for key in ("tests", "failures", "errors"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _suite(root: Element, path: str, items: Sequence[Item], targets: Sequence[Target]) -> None:
    suite = SubElement(root, "testsuite", name=legal(path))
    failures = 0
    for target in targets:
        case = SubElement(suite, "testcase", classname=legal(path), name=target.value)
        failing = [item for item in items if item.fails and (target in item.targets or not item.targets)]
        if failing:
            failures += 1
            message = f"{len(failing)} {'finding' if len(failing) == 1 else 'findings'} for {target.value}"
            SubElement(case, "failure", message=message).text = _lines(failing)
    passing = [item for item in items if not item.fails]
    if passing:
        SubElement(suite, "system-out").text = _lines(passing)
    count(suite, len(targets), failures, 0)


def _problem(root: Element, path: str, problem: Problem) -> None:
    suite = SubElement(root, "testsuite", name=legal(path))
    case = SubElement(suite, "testcase", classname=legal(path), name="check")
    SubElement(case, "error", message=legal(problem.message))
    count(suite, 1, 0, 1)


def count(suite: Element, tests: int, failures: int, errors: int) -> None:
    """Say how many cases a suite has."""
    for key, number in (("tests", tests), ("failures", failures), ("errors", errors)):
        suite.set(key, str(number))


def _lines(items: Sequence[Item]) -> str:
    return legal("\n".join(text.line(item) for item in items))


def legal(value: str) -> str:
    """``value`` without what XML 1.0 cannot hold."""
    return "".join(character if character in "\t\n" or _islegal(ord(character)) else "\ufffd" for character in value)


def _islegal(number: int) -> bool:
    return 0x20 <= number <= 0xD7FF or 0xE000 <= number <= 0xFFFD or number >= 0x10000
