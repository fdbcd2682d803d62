"""The pages of the documentation are what the commands write, and what they show is true."""

from __future__ import annotations

import re

import pytest
from flake8_program import ROOT, flake8
from torchtrace_program import torchtrace

from flake8_torchtrace.explain.command import pages, with_table
from flake8_torchtrace.explain.index import rules_table
from flake8_torchtrace.explain.page import rule_page, topic_page, torch_of, what
from flake8_torchtrace.explain.topics import TOPICS, Topic
from flake8_torchtrace.model import Target
from flake8_torchtrace.reasons import show
from flake8_torchtrace.reasons.entries import Outcome
from flake8_torchtrace.reasons.examples import KINDS, cases
from flake8_torchtrace.reasons.gate import FOLDER, REFERENCE
from flake8_torchtrace.reasons.measure import Measured
from flake8_torchtrace.reasons.tables import RuleEntry, Table, current, file_name, read, recorded
from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.source.rules import all_rules

DOCS = ROOT / "docs"
PAGES = pages()
CONTRIBUTING = (DOCS / "contributing.md").read_text(encoding="utf-8")
BY_CODE = {rule.code: rule for rule in all_rules()}
SHOWN_RULE = BY_CODE["TTR403"]
each_rule = pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.code)
ACCEPTED: Outcome = {target: {"status": "accepted"} for target in Target}
BROKEN: Outcome = {**ACCEPTED, Target.COMPILE: {"status": "broke", "reason": "said `so`", "gb_id": "GB0001", "family": "value"}}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_explain_writes(name: str) -> None:
    path = DOCS / "rules" / name
    assert path.is_file(), "run `torchtrace explain --write docs/rules`"
    assert path.read_text(encoding="utf-8") == PAGES[name], "run `torchtrace explain --write docs/rules`"


def test_there_is_no_other_page() -> None:
    assert {path.name for path in (DOCS / "rules").iterdir()} == set(PAGES)


def test_the_table_in_the_readme() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert with_table(text, rules_table(all_rules(), recorded())) == text, "run `torchtrace explain --table README.md`"


@each_rule
def test_a_page_answers_every_question(rule: Rule) -> None:
    page = PAGES[f"{rule.code}.md"]
    flat = " ".join(page.split())
    for text in (f"# {rule.code}: {rule.name}", what(rule), rule.effect, rule.why, rule.fine, rule.instead[1:], rule.family.words):
        assert " ".join(text.split()) in flat, text
    for case in cases([rule]):
        assert case.example.code.strip() in page
    for table in recorded():
        assert table.torch in page


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What flake8 prints for the code of every example, with the usual imports below it, by file name."""
    folder = tmp_path_factory.mktemp("shown")
    for rule in all_rules():
        for number, (code, _) in enumerate(reported(rule), 1):
            text = f"{code}import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n"
            (folder / f"{rule.code}_{number}.py").write_text(text, encoding="utf-8")
    found: dict[str, str] = {}
    for torch in {torch_of(rule, recorded()) or REFERENCE for rule in all_rules()}:
        names = [path.name for path in folder.iterdir() if (torch_of(BY_CODE[path.stem[:6]], recorded()) or REFERENCE) == torch]
        for line in flake8("--torchtrace-torch", torch, *sorted(names), folder=folder).stdout.splitlines(keepends=True):
            name, _, rest = line.partition(":")
            found[name] = found.get(name, "") + f"net.py:{rest}"
    return found


def reported(rule: Rule) -> list[tuple[str, str]]:
    """The examples on a rule's page that are reported, with what is reported."""
    return re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGES[f"{rule.code}.md"], re.DOTALL)


@each_rule
def test_a_page_shows_what_flake8_prints(rule: Rule, printed: dict[str, str]) -> None:
    shown = reported(rule)
    assert len(shown) == len(rule.bad)
    assert [printed[f"{rule.code}_{number}.py"] for number in range(1, len(shown) + 1)] == [text for _, text in shown]


def test_a_page_without_records() -> None:
    page = rule_page(SHOWN_RULE, [Table("2.2.2", "3.11"), Table(REFERENCE, "3.11")])
    assert f"\n- torch 2.2.2, {REFERENCE}: not recorded yet\n" in page


def test_a_page_groups_versions_and_targets_and_quotes_reasons() -> None:
    entry = current(read(FOLDER / file_name(REFERENCE)), SHOWN_RULE)
    assert entry is not None
    rules = {SHOWN_RULE.code: RuleEntry(entry.examples, [BROKEN], [ACCEPTED])}
    unlike = {SHOWN_RULE.code: RuleEntry(entry.examples, [ACCEPTED], [BROKEN])}
    page = rule_page(SHOWN_RULE, [Table("2.2.2", "3.11", unlike), Table(REFERENCE, "3.11", rules), Table("2.15.0", "3.11", rules)])
    assert (
        "- torch 2.2.2\n  - all targets: accepted\n"
        f"- torch {REFERENCE}, 2.15.0\n  - compile: broke, `` said `so` `` (GB0001)\n"
        "  - fullgraph, export-strict, export-nonstrict: accepted\n"
    ) in page
    assert "are accepted by all targets, but break on torch 2.2.2." in page.replace("\n", " ")


def test_every_code_in_the_program_has_a_page() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "flake8_torchtrace").rglob("*.py")]
    named = {code for text in texts for code in re.findall(r"\"(TTR\d{3})\"", text)}
    assert {"TTR001", "TTR501", "TTR901"} <= named
    assert {f"{code}.md" for code in named} <= set(PAGES)


def test_codes_are_used_once() -> None:
    codes = [*BY_CODE, *(topic.code for topic in TOPICS)]
    assert len(set(codes)) == len(codes)


def test_a_retired_code_keeps_its_page() -> None:
    page = topic_page(Topic("TTR899", "gone", "it is gone", "It went.", "Because.", "Nothing.", is_retired=True))
    assert page.startswith("# TTR899: gone\n\nThis code is retired: ")


def test_the_rule_shown_to_contributors_is_the_real_one() -> None:
    (path, code) = re.findall(r"<!-- (rules/\w+\.py) -->\n```python\n(.*?)```", CONTRIBUTING, re.DOTALL)[0]
    assert code == (ROOT / path).read_text(encoding="utf-8")
    assert f'code = "{SHOWN_RULE.code}"' in code


def test_the_output_shown_to_contributors_is_the_recorded_one() -> None:
    table = read(FOLDER / file_name(REFERENCE))
    results = [result for kind in KINDS for result in table.rules[SHOWN_RULE.code].of(kind)]
    measured = [Measured(case, result, table.torch) for case, result in zip(cases([SHOWN_RULE]), results, strict=True)]
    lines = [*show.heading(measured[0], table.python), "", f"{SHOWN_RULE.code} {SHOWN_RULE.name}"]
    lines += [line for item in measured for line in show.lines(item)]
    assert "\n".join(["```text", *lines, "", show.summary(measured), "```"]) in CONTRIBUTING


def test_the_commands_shown_to_contributors_are_there() -> None:
    shown = re.findall(r"^torchtrace (.*?)(?: *#.*)?$", CONTRIBUTING, re.MULTILINE)
    assert len(shown) >= 5
    for command in shown:
        name, *options = command.split()
        assert all(option in torchtrace(name, "--help").stdout for option in options if option.startswith("--")), command


def test_what_contributors_can_ask_for() -> None:
    kinds = re.findall(r"sees = \(\"(\w+)\",\)", CONTRIBUTING)
    collector = (ROOT / "flake8_torchtrace" / "source" / "collector.py").read_text(encoding="utf-8")
    sent = set(re.findall(r"self\._see\(Event\(\"(\w+)\"", collector))
    assert set(kinds) == sent


def test_links_lead_somewhere() -> None:
    for path in (ROOT / "README.md", *DOCS.glob("*.md"), *(DOCS / "rules").glob("*.md")):
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)):
            assert (path.parent / link).is_file(), f"{path.name}: {link}"


def test_the_recorded_versions_are_named() -> None:
    text = (DOCS / "versions.md").read_text(encoding="utf-8")
    assert ", ".join(table.torch for table in recorded()[:-1]) + f" and {recorded()[-1].torch}" in " ".join(text.split())
