"""Reads the verdict in the brackets at the end of a warning."""

from __future__ import annotations

import re

from flake8_torchtrace.model import Outcome, Target

_NAMES = "|".join(target.value for target in sorted(Target, key=lambda target: -len(target.value)))
_BRACKET = re.compile(r" \[(?P<outcome>confirmed|dismissed|not-reached|unverified)(?: on torch (?P<torch>[^:]+))?: (?P<told>.*)\]")
_GROUP = re.compile(rf"(?P<names>(?:{_NAMES})(?:, (?:{_NAMES}))*): (?P<detail>.*)")
_NO_BREAK = ("accepted", "traced, no break", "not reached, ", "unverified, ")


def outcome(text: str) -> tuple[str, str]:
    """``("confirmed", "compile: ...")``: the verdict in sum and what is told of it. Fails if ``text`` has no verdict."""
    match = _search(text)
    return match["outcome"], match["told"]


def torch_version(text: str) -> str | None:
    """The torch that the verdict names."""
    return _search(text)["torch"]


def confirmed(text: str) -> frozenset[Target]:
    """The targets that broke; empty unless the verdict in sum is ``confirmed``."""
    verdict, told = outcome(text)
    return frozenset(reasons(told)) if verdict == "confirmed" else frozenset()


def is_as_expected(text: str, targets: frozenset[Target] | None, version: str) -> bool:
    """Whether torch ``version`` broke for exactly ``targets``; none of them: ran and did not break; None: was not run."""
    verdict, _ = outcome(text)
    if targets is None:
        return verdict == Outcome.UNVERIFIED.value
    on_torch = torch_version(text) == version
    if not targets:
        return on_torch and verdict in (Outcome.DISMISSED.value, Outcome.NOT_REACHED.value)
    return on_torch and confirmed(text) == targets


def reasons(told: str) -> dict[Target, str]:
    """Torch's reason for each target that broke."""
    found: dict[Target, str] = {}
    for group in re.split(rf"; (?=(?:{_NAMES})[:,])", told):
        match = _GROUP.fullmatch(group)
        assert match is not None, f"cannot read {group!r}"
        if not match["detail"].startswith(_NO_BREAK):
            found |= {Target(name): match["detail"] for name in match["names"].split(", ")}
    return found


def _search(text: str) -> re.Match[str]:
    match = _BRACKET.search(text)
    assert match is not None, f"no verdict in {text!r}"
    assert match.end() == len(text), f"something after the verdict in {text!r}"
    return match
