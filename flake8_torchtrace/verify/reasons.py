"""Torch's reasons and places, short enough for one line of output."""

from __future__ import annotations

import os
import re

from ..model import Family, Frame, Observation, ObservationKind

_LONGEST = 100
# Classes that say nothing without their text; of the others the name is the reason.
_GENERIC = frozenset(
    {
        "ArithmeticError", "AssertionError", "AttributeError", "Exception", "IndexError", "InternalTorchDynamoError",
        "KeyError", "NotImplementedError", "RuntimeError", "TorchRuntimeError", "TypeError", "Unsupported",
        "UserError", "ValueError",
    }
)  # fmt: skip
_INSTALLED = re.compile(r"(?:[\w.~+-]*[/\\])+(?:site|dist)-packages[/\\]|(?:/[\w.~+-]+)+/lib/python3\.\d+/")

_ADVICE = re.compile(r"\AConsider annotating your code using \S+ ")
_EXPLANATION = re.compile(
    r"\s*\Z|\s*(Explanation|Hint|Developer debug context|from user code|User Stack|Traceback|Set TORCH|Higher Order Operator|"
    r"For more (details|information)|The following call raised|[Cc]aused by|Potential framework code culprit|For C\+\+ stack trace)\b"
)
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # another one in each run


def short_reason(observation: Observation) -> str:
    """What torch's text says before it explains, with the GB id, or the exception class of a refusal; at most 100 characters.

    All of a text that is in no family: there is nothing else to go by.
    """
    first = " ".join(_ADDRESS.sub("", _without_directories(_statement(observation.reason))).split())
    if observation.family is Family.UNCLASSIFIED:
        return f"{observation.exception}: {first}" if first else observation.exception or "no reason given"
    if observation.gb_id:
        suffix = f" ({observation.gb_id})"
        return _shortened(first or observation.exception, _LONGEST - len(suffix)) + suffix
    if observation.kind in (ObservationKind.REFUSAL, ObservationKind.CRASH) and observation.exception:
        if observation.exception not in _GENERIC:
            return observation.exception
        if first and not first.startswith(observation.exception):
            first = f"{observation.exception}: {first}"
    return _shortened(first or observation.exception or "no reason given", _LONGEST)


def _statement(text: str) -> str:
    """``text`` up to where torch begins to explain, or to tell where it was, without advice before it."""
    lines: list[str] = []
    for line in _ADVICE.sub("", text.strip()).splitlines():
        if lines and _EXPLANATION.match(line):
            break
        lines.append(line)
    return " ".join(lines)


def place(frame: Frame) -> str:
    """``file:line function`` without the directories of the machine."""
    return f"{_without_directories(_relative(frame.path))}:{frame.line} {frame.function}"


def is_torch(frame: Frame) -> bool:
    """Whether a frame is of the installed torch."""
    return _without_directories(frame.path).startswith("torch/")


def _relative(path: str) -> str:
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith(os.pardir) else relative


def _without_directories(text: str) -> str:
    return _INSTALLED.sub("", text)


def _shortened(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."
