"""From the exception a tracer raised to an observation: what it says, and which line of the user's it means."""

from __future__ import annotations

import re

from .observations import observation
from .paths import Watch
from .shapes import Kind, ObservationDict
from .stacks import Stack, from_summaries, from_text, from_traceback, innermost_watched

_UNUSABLE = (
    (r"keyword arguments NYI", "this torch cannot export a call with keyword arguments"),
    (r"dynamic shape NYI", "this torch cannot export dynamic shapes without strict"),
    (
        r"Unsupported input type|one of the inputs with type|Input to export .* unsupported|Expecting `args` to be",
        "export does not take these inputs",
    ),
    (
        r"(not supported|not yet supported) on Python 3|Python 3\.\d+\+ not (yet )?supported",
        "this torch cannot compile on this Python",
    ),
    (r"An error occurred when running the '\w+' pass", "a pass of this torch failed on the exported graph"),
    (r"without NumPy installed|Numpy is not available", "numpy is not installed in this environment"),
)


_FAKE_TENSOR = frozenset(
    {
        "ConstraintViolationError", "DataDependentOutputException", "DynamicOutputShapeException", "GuardOnDataDependentSymNode",
        "MetadataMismatchError", "PendingUnbackedSymbolNotFound", "UnsupportedFakeTensorException",
        "UnsupportedMutationAliasingException", "UnsupportedOperatorException",
    }
)  # fmt: skip
_EXPRESSION = re.compile(r"data-dependent expression (.+?)(?: \(unhinted|\.|\n|$)")
_OPERATOR = re.compile(r"\b(?:aten|prims)[.:]+\w+(?:[.:]\w+)*|\b(?!torch\b)[a-z]\w*::\w+(?:\.\w+)?")


def tracer_of(target: str, exception: str) -> str:
    """Which tracer refused: ``dynamo``, reading bytecode; a ``fake tensor``, asked for data it does not have; or ``python``,
    the code itself, run on fake tensors by non-strict export."""
    if exception in _FAKE_TENSOR:
        return "fake tensor"
    return "python" if target == "export-nonstrict" else "dynamo"


def is_of_tracing(error: BaseException) -> bool:
    """Whether only a tracer raises ``error``, never a plain run of the same code."""
    return type(error).__name__ in _FAKE_TENSOR or "not supported for tensor subclasses" in str(error)


def subject_of(text: str) -> str | None:
    """The symbolic expression or the ATen operator that torch's ``text`` names, None if it names none."""
    expression = _EXPRESSION.search(text)
    if expression:
        return expression.group(1)
    operator = _OPERATOR.search(text)
    return operator.group(0) if operator else None


def why_unusable(error: BaseException) -> str | None:
    """Why ``error`` says nothing about the user's code, or None if it does."""
    text = str(error)
    for pattern, why in _UNUSABLE:
        if re.search(pattern, text):
            return f"{why} ({type(error).__name__}: {text.strip().splitlines()[0]})"
    return None


def refusal(kind: Kind, error: BaseException, watch: Watch, target: str = "compile") -> ObservationDict:
    """What the tracer of ``target`` said when it raised ``error``."""
    text = str(getattr(error, "msg", None) or error) or type(error).__name__
    cost = "compile raises" if kind == "crash" else None
    found = observation(kind, text, type(error).__name__, _stack(error, watch), getattr(error, "gb_type", None), cost)
    return {**found, "tracer": tracer_of(target, type(error).__name__), "subject": subject_of(text)}


def _stack(error: BaseException, watch: Watch) -> Stack:
    """The user's frames: those torch attached, else those in its message, else those of the traceback.

    Where the message names a place, the traceback is preferred if it leads there: it has the whole way and columns.
    """
    attached = from_summaries(getattr(error, "real_stack", None))
    if innermost_watched(attached, watch):
        return attached
    named, raised = from_text(str(error)), from_traceback(error.__traceback__, watch)
    place = innermost_watched(named, watch)
    if place and all((item["path"], item["line"]) != place for item in raised):
        return named
    return raised or attached or named
