"""What the codes of an audit mean, for readers that have no documentation at hand."""

from __future__ import annotations

from collections.abc import Iterable

from flake8_torchtrace.explain.page import what
from flake8_torchtrace.explain.topics import TOPICS
from flake8_torchtrace.report.content import RuleHelp
from flake8_torchtrace.source.rule import Rule
from flake8_torchtrace.usage import load_rules


def rule_help(codes: Iterable[str]) -> dict[str, RuleHelp]:
    """Help for each of ``codes``."""
    wanted = set(codes)
    rules = {rule.code: _of_rule(rule) for rule in load_rules() if rule.code in wanted}
    topics = {
        topic.code: RuleHelp(topic.code, topic.name, topic.summary, "\n\n".join((topic.what, topic.why, topic.do)))
        for topic in TOPICS
        if topic.code in wanted
    }
    return {**rules, **topics}


def _of_rule(rule: Rule) -> RuleHelp:
    instead = f"Write instead: {rule.instead}."
    fine = f"When it is fine: {rule.fine}"
    return RuleHelp(rule.code, rule.name, f"{what(rule)}: {rule.effect}.", "\n\n".join((rule.why, instead, fine)))
