"""From what a tracer did to one short entry that is the same on every machine."""

from __future__ import annotations

import re
from typing import Any, Literal

from flake8_torchtrace.model import Family, Target
from flake8_torchtrace.source.rule import Rule

Entry = dict[str, str]
"""``status``, and unless it was accepted ``reason`` with ``gb_id`` and ``family`` where there are any."""
Outcome = dict[Target, Entry]
Status = Literal["accepted", "broke", "refused", "crashed", "unusable"]

BREAKS = frozenset({"broke", "refused", "crashed"})
_LONGEST = 160
_NAMES: dict[str, Status] = {"ok": "accepted", "broke": "broke", "refused": "refused", "crashed": "crashed"}
# Where a text differs from machine to machine or from run to run.
_INSTALLED = re.compile(r"(?:[\w.~+-]*[/\\])+(?:site|dist)-packages[/\\]|(?:/[\w.~+-]+)+/lib/python3\.\d+/")
_OTHER_PATH = re.compile(r"(?<![\w.])(?:/[\w.~+-]+)+/(?=[\w.~+-]+\.py\b)")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_IDENTITY = re.compile(r"\b\d{12,}\b")


def outcome(run: dict[str, Any], rule: Rule) -> Outcome:
    """The entry of each target of one example's ``run`` (a run as ``verify.answer`` gives it)."""
    if run["reason"] is not None:
        return {target: {"status": "unusable", "reason": portable(run["reason"])} for target in Target}
    return {Target(name): _entry(result, rule.family) for name, result in run["targets"].items()}


def _entry(result: dict[str, Any], family: Family) -> Entry:
    status = _NAMES.get(result["status"], "unusable")
    if status == "accepted":
        return {"status": status}
    observations = result["observations"]
    if status == "unusable" or not observations:
        return {"status": status, "reason": portable(result["why"] or "no reason given")}
    # One break may follow from another: the one that the rule is about tells more.
    told = next((item for item in observations if item["family"] == family.value), observations[0])
    entry = {"status": status, "reason": _reason(told, status)}
    if told["gb_id"]:
        entry["gb_id"] = told["gb_id"]
    entry["family"] = told["family"]
    return entry


def _reason(observation: dict[str, Any], status: Status) -> str:
    first = portable(observation["reason"])
    exception = observation["exception"]
    if observation["gb_id"] or status == "broke" or first.startswith(exception):
        return first or exception
    return portable(f"{exception}: {first}" if first else exception)


def portable(text: str) -> str:
    """The first line of ``text`` without directories, addresses and identities, at most 160 characters."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    for pattern, by in ((_INSTALLED, ""), (_OTHER_PATH, ""), (_ADDRESS, "0x..."), (_IDENTITY, "...")):
        first = pattern.sub(by, first)
    return first if len(first) <= _LONGEST else first[: _LONGEST - 3].rstrip() + "..."


def broken(result: Outcome) -> frozenset[Target]:
    """The targets that did not survive the example."""
    return frozenset(target for target, entry in result.items() if entry["status"] in BREAKS)


def is_known(result: Outcome) -> bool:
    """Whether the example could be run at all."""
    return any(entry["status"] != "unusable" for entry in result.values())
