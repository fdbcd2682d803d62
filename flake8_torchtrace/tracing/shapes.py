"""The dictionaries that leave this package: plain, JSON-serialisable, the same on every torch."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

Status = Literal["ok", "broke", "refused", "crashed", "unusable"]
Kind = Literal["break", "skipped-frame", "refusal", "crash"]
Lines = dict[str, list[int]]
# Parts of lines: line, column, last line, end column; columns count characters, the end is exclusive
Points = dict[str, list[tuple[int, int, int, int]]]


class FrameDict(TypedDict):
    """One frame. ``line`` is 1-based; columns are 0-based, count characters, and are None where torch gives none."""

    path: str
    line: int
    function: str
    column: int | None
    end_column: int | None


class ObservationDict(TypedDict):
    """One break, refusal or crash. ``reason`` is torch's own text; ``stack`` has the outermost frame first.

    ``crossing`` names the intermediate tensors that a resume function takes over after a break and is guarded on.
    ``tracer`` is which tracer spoke (``refusals.tracer_of``), ``subject`` the operator or symbolic expression it named.
    """

    kind: Kind
    reason: str
    gb_id: str | None
    gb_type: str | None
    family: str
    exception: str
    stack: list[FrameDict]
    cost: str | None
    crossing: list[str]
    tracer: str
    subject: str | None


class EagerResult(TypedDict):
    """What one eager call did; ``points`` as in ``TargetResult``."""

    ok: bool
    error: str | None
    executed: Lines
    points: Points


class TargetResult(TypedDict):
    """What one tracer did.

    ``ok``: accepted without a break; ``broke``: compiled with at least one break; ``refused``: fullgraph or export
    raised; ``crashed``: a default compile raised instead of breaking; ``unusable``: the failure says nothing about the
    code, ``why`` tells. ``frames`` counts the frames dynamo tried to compile, ``ops`` the operators in all captured
    graphs. ``traced`` holds the watched lines the tracer passed; if the status is ``broke``, ``abandoned`` holds those
    of them that it passed only in an attempt it then gave up. ``points`` are the instructions among ``traced`` and not
    ``abandoned``, on lines of which a part may be left out (``lines.divided_lines``).
    """

    status: Status
    why: str | None
    graphs: int
    frames: int
    ops: int
    observations: list[ObservationDict]
    traced: Lines
    abandoned: Lines
    points: Points


class GuardDict(TypedDict):
    """One guard: what it is on, as torch spells it (``L['x']``), and its kind (``TENSOR_MATCH``)."""

    on: str
    kind: str


class FrameAccount(TypedDict):
    """One frame that dynamo compiled or tried to.

    ``line`` is the first line of its function, ``resumes_at`` the line of the break that a resume function goes on after.
    ``outcome``: ``compiled``, ``empty`` (no operator in it), ``skipped`` (given up, runs eagerly) or ``raised``. ``graphs`` holds
    the number of operators of each graph. ``crossing`` names the guarded inputs of a resume function that are intermediate
    values: tensors made before the break.
    """

    path: str
    function: str
    line: int
    resumes_at: int | None
    outcome: Literal["compiled", "empty", "skipped", "raised"]
    is_recompile: bool
    graphs: list[int]
    guards: list[GuardDict]
    crossing: list[str]


class Account(TypedDict):
    """What a default compile made of one module.

    ``explain`` is ``torch._dynamo.explain(...).graph_break_count``, ``counter`` the sum of
    ``torch._dynamo.utils.counters["graph_break"]``: torch's own figures; ``None`` where torch failed to give one.
    """

    frames: list[FrameAccount]
    breaks: list[ObservationDict]
    explain: int | None
    counter: int
    error: str | None


class RecompileDict(TypedDict):
    """One recompilation: the guard that failed, as torch spells it, and the line of the user's that it is from."""

    path: str
    line: int
    function: str
    guard: str


class RepeatResult(TypedDict):
    """What became of several calls of a compiled module.

    ``status`` and ``why`` are as in ``TargetResult``; ``calls`` is how many went through. A refusal or a crash ended the calls.
    """

    status: Status
    why: str | None
    calls: int
    observations: list[ObservationDict]
    recompiles: list[RecompileDict]


class Description(TypedDict):
    """What non-strict export made of a module. ``error`` says why there is no program, ``not_saved`` why it has no archive.

    ``inputs`` are the arguments by name, in words; ``takes`` and ``gives`` the signature of the program, a line for each; ``ranges`` those
    of symbolic sizes; ``archive`` the entries of the saved program.
    """

    inputs: dict[str, str]
    mode: str
    error: str | None
    graph: str
    takes: list[str]
    gives: list[str]
    ranges: dict[str, str]
    archive: list[str]
    not_saved: str | None


class Saved(TypedDict):
    """A program as it was saved, or in ``error`` why it was not. ``blocked`` are the top-level modules of the code that it was made of.

    ``foreign`` has the operators that torch does not bring along: ``operator`` and the ``stack`` of its call, outermost first.
    """

    error: str | None
    blocked: list[str]
    foreign: list[dict[str, Any]]


class Loaded(TypedDict):
    """Whether a saved program does where it was loaded what the module did; ``error`` says what is wrong."""

    error: str | None


class Fault(TypedDict):
    """Something that an accepted export does not do as the code does, at the line of the code.

    ``kind`` is one of those in ``replay.judge``; ``subject`` is what it is about (an attribute, a variable), ``detail`` what happened to it.
    """

    kind: str
    path: str
    line: int
    function: str
    subject: str
    detail: str


class ReplayResult(TypedDict):
    """Faults by target, and by target why an experiment gave no answer."""

    faults: dict[str, list[Fault]]
    problems: dict[str, str]
