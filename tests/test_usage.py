"""What the commands say of a rule whose file has a mistake."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from flake8_torchtrace import usage
from flake8_torchtrace.source import rules
from flake8_torchtrace.usage import UsageError, load_rules

HEAD = "from flake8_torchtrace.source.rule import Rule\n\n\n"


@pytest.fixture
def rule_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only file of a package of rules that stands in for the real one."""
    name = f"faulty{tmp_path.name}"
    folder = tmp_path / name / "rules"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(rules, "PACKAGE", f"{name}.rules")
    monkeypatch.setattr(usage, "all_rules", rules.all_rules.__wrapped__)
    assert name not in sys.modules
    return folder / "mine.py"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("class Mine(Rule)\n", "{file}, line 4: "),
        ("import nowhere\n", "{file}, line 4: No module named 'nowhere'"),
        ("class Mine(Rule):\n    code = TTR801\n", "{file}, line 5: name 'TTR801' is not defined"),
        ("class Mine(Rule):\n    code = 'TTR801'\n", " does not say its name, family, effect, instead, why, fine, bad, good"),
    ],
)
def test_a_mistake_in_the_file_of_a_rule_is_told_in_one_line(rule_file: Path, text: str, said: str) -> None:
    rule_file.write_text(HEAD + text, encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        load_rules()
    assert said.format(file=rule_file) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_package_without_mistakes(rule_file: Path) -> None:
    rule_file.write_text(HEAD, encoding="utf-8")
    assert load_rules() == ()
