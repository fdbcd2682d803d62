"""What the seams see, in the order they see it: one record for each frame that dynamo tries to compile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Literal

from .families import is_no_break
from .lines import Passed
from .registry import first_line
from .shapes import FrameDict
from .stacks import Stack, frame, from_summaries
from .tensors import is_tensor, leaves

RESUMED = "resume_in_"
Outcome = Literal["open", "code", "nothing", "raised"]


@dataclass
class Raised:
    """An exception dynamo built to say that it cannot go on. That is no break yet: dynamo catches many itself."""

    exception: str
    text: str
    gb_type: str | None
    stack: Stack
    identity: int
    during: Raised | None = None


@dataclass
class Split:
    """A frame compiled in parts (``GraphCompileReason``): the reason as torch names it and the stack it came with."""

    reason: str
    stack: Stack
    cause: Raised | None
    resumes: list[CodeType] = field(default_factory=list)


@dataclass
class FrameRun:
    """One attempt to compile one frame, restarts included.

    ``crossing`` names the intermediate tensors among the inputs of a resume function: what was made before the break and is
    guarded after it. ``graphs`` holds the number of operators of each graph compiled, ``guards`` the names and kinds of what
    the code is guarded on.
    """

    code: CodeType | None
    above: Stack
    raised: list[Raised] = field(default_factory=list)
    splits: list[Split] = field(default_factory=list)
    outcome: Outcome = "open"
    error: BaseException | None = None
    error_text: str = ""
    attempt: object = None
    visited: set[Passed] = field(default_factory=set)
    latest: Passed | None = None
    earlier: set[Passed] = field(default_factory=set)
    is_recompile: bool = False
    crossing: list[str] = field(default_factory=list)
    graphs: list[int] = field(default_factory=list)
    guards: list[tuple[str, str]] = field(default_factory=list)

    @property
    def is_resumed(self) -> bool:
        """Whether the frame is a resume function: the rest of a frame after a break."""
        return self.code is not None and RESUMED in self.code.co_name

    def here(self) -> Stack:
        """The line being interpreted, for an exception that does not say where it comes from."""
        if self.latest is None or self.code is None or self.latest.filename != self.code.co_filename:
            return []
        return [frame(self.latest.filename, self.latest.line, self.code.co_name)]

    @property
    def is_kept(self) -> bool:
        """Whether the frame was traced to an end: code was made of it, or there was nothing in it to compile."""
        if self.outcome == "nothing":
            return not self.raised or is_no_break(self.raised[-1].text)
        return self.outcome in ("code", "open")


class Recorder:
    """Collects frame runs. The first one stands for tracing outside any compiled frame, as export does it."""

    def __init__(self) -> None:
        self.outside = FrameRun(None, [])
        self.runs: list[FrameRun] = []
        self._open: list[FrameRun] = [self.outside]
        self._given: dict[int, Any] = {}

    @property
    def current(self) -> FrameRun:
        """The innermost frame being compiled."""
        return self._open[-1]

    def begin(self, code: CodeType, above: Stack, values: Mapping[str, Any]) -> FrameRun:
        """A frame with the local variables ``values`` is about to be compiled."""
        above = [self._exact(item) for item in above]
        run = FrameRun(code, above, is_recompile=any(earlier.code is code for earlier in self.runs))
        if run.is_resumed:
            run.crossing = sorted(name for name, value in values.items() if is_tensor(value) and id(value) not in self._given)
        else:
            for value in leaves(values.values()):
                self._given[id(value)] = value  # kept, so that no later tensor gets its id
        self.runs.append(run)
        self._open.append(run)
        return run

    def _exact(self, item: FrameDict) -> FrameDict:
        """``item`` of the running stack at its line: code that torch 2.2 compiled has that of the ``def`` only.

        What such code calls is what its last split left to Python.
        """
        for run in reversed(self.runs):
            code = run.code
            if code is None or not run.splits or item["line"] != code.co_firstlineno:
                continue
            if frame(code.co_filename, item["line"], code.co_name) == {**item, "column": None, "end_column": None}:
                at = run.splits[-1].stack[:1]
                return at[0] if at and at[0]["path"] == item["path"] else item
        return item

    def end(self, run: FrameRun, outcome: Outcome, error: BaseException | None = None) -> None:
        """That frame is done with."""
        while self._open[-1] is not run and len(self._open) > 1:
            self._open.pop()
        self._open.pop()
        run.outcome, run.attempt = outcome, None
        if error is not None:
            run.error, run.error_text = error, str(error)

    def has_error(self, error: BaseException) -> bool:
        """Whether compiling some frame raised ``error``, so that it is in the records already."""
        return any(run.error is error for run in self.runs)

    def raised(self, error: Any, during: BaseException | None) -> None:
        """Dynamo built an exception. A subclass reports itself after its base class has: the later report wins."""
        run = self.current
        if run.raised and run.raised[-1].identity == id(error):
            run.raised.pop()
        earlier = next(
            (item for item in reversed(run.raised) if during is not None and item.identity == id(during)), None
        )
        text = str(getattr(error, "msg", None) or error)
        stack = from_summaries(getattr(error, "real_stack", None)) or run.here()
        run.raised.append(
            Raised(type(error).__name__, text, getattr(error, "gb_type", None), stack, id(error), earlier)
        )

    def split(self, reason: str, user_stack: Any) -> None:
        """Dynamo decided to compile the current frame in parts."""
        run = self.current
        stack = from_summaries(user_stack)
        run.splits.append(Split(reason, stack, _cause(run, reason, stack)))

    def resumed(self, code: CodeType) -> None:
        """Dynamo made ``code`` to run after the latest split of the current frame."""
        splits = self.current.splits
        if splits and code not in splits[-1].resumes:
            splits[-1].resumes.append(code)

    def step(self, attempt: object, passed: Passed) -> None:
        """Dynamo interprets an instruction. ``attempt`` changes whenever the frame is started over."""
        run = self.current
        if run.attempt is not attempt:
            run.attempt = attempt
            run.earlier |= run.visited
            run.visited = set()
        run.visited.add(passed)
        run.latest = passed


def _cause(run: FrameRun, reason: str, stack: Stack) -> Raised | None:
    """The exception behind a split: the last with its text, or the last at its line if the reason quotes none."""
    same_text = next((item for item in reversed(run.raised) if item.text == reason), None)
    if same_text is not None:
        return same_text
    head = first_line(reason)
    if head == "step_unsupported":  # the stack is that of the checkpoint, the last exception is what stopped the trace
        return run.raised[-1] if run.raised else None
    if not stack:
        return None
    place = (stack[-1]["path"], stack[-1]["line"])
    return next(
        (
            item
            for item in reversed(run.raised)
            if item.stack and (item.stack[-1]["path"], item.stack[-1]["line"]) == place
        ),
        None,
    )
