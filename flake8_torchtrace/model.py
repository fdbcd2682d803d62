"""The words of the domain: what a rule claims, what torch did, and what follows from the two.

Lines are 1-based. Columns are 0-based and count characters, as ``ast`` would after decoding; flake8 adds one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Target(str, Enum):
    """What the code must survive. They disagree in earnest, so every verdict is per target."""

    COMPILE = "compile"
    FULLGRAPH = "fullgraph"
    EXPORT_STRICT = "export-strict"
    EXPORT_NONSTRICT = "export-nonstrict"


ALL_TARGETS = frozenset(Target)
COMPILE_TARGETS = frozenset({Target.COMPILE, Target.FULLGRAPH})
EXPORT_TARGETS = frozenset({Target.EXPORT_STRICT, Target.EXPORT_NONSTRICT})


class Family(str, Enum):
    """Breaks that share a fix. The value is the key used on the wire and in recorded data."""

    VALUE = "value"
    NO_HANDLER = "no-handler"
    SKIPPED = "skipped"
    DYNAMIC_SHAPE = "dynamic-shape"
    SIZE = "size"
    EFFECT = "effect"
    CONTEXT = "context"
    MUTATION = "mutation"
    AUTOGRAD = "autograd"
    CONSTRUCTION = "construction"
    INTROSPECTION = "introspection"
    EXCEPTION = "exception"
    FORCED = "forced"
    INTERNAL = "internal"
    UNCLASSIFIED = "unclassified"

    @property
    def words(self) -> str:
        """The family in words, as reports print it."""
        return _FAMILY_TEXT[self][0]

    @property
    def fix(self) -> str:
        """What mends any break of this family, in one phrase."""
        return _FAMILY_TEXT[self][1]

    @property
    def prospect(self) -> str:
        """Whether the program as written can be one graph at all, or only this torch has no rule for it.

        torch 2.2 tells the two apart by the exception (``UserError`` or ``Unsupported``); later versions do not.
        """
        if self is Family.UNCLASSIFIED:
            return "whether another torch has a rule for it is not known"
        if self in (Family.VALUE, Family.EFFECT, Family.FORCED):
            return "no whole-graph meaning as written: it needs another formulation"
        return "only this version of torch has no rule for it"


_FAMILY_TEXT: dict[Family, tuple[str, str]] = {
    Family.VALUE: ("tensor value forced into Python", "move the value out of Python"),
    Family.NO_HANDLER: ("callable with no handler", "guard the call or teach dynamo about it"),
    Family.SKIPPED: ("callee skipped by policy", "hoist the callee out of the traced code"),
    Family.DYNAMIC_SHAPE: ("data-dependent output shape", "accept a dynamic shape or use a static form"),
    Family.SIZE: ("size fixed or limited while tracing", "keep sizes out of Python, or declare what may vary"),
    Family.EFFECT: ("effect lost or value baked at export", "move the effect out of forward"),
    Family.CONTEXT: ("context manager that cannot be traced", "enter it outside the traced code"),
    Family.MUTATION: ("mutation that cannot be traced", "return the new value instead of writing it"),
    Family.AUTOGRAD: ("autograd or hook inside the trace", "set it up outside the traced code"),
    Family.CONSTRUCTION: ("object built inside the trace", "build it once in __init__"),
    Family.INTROSPECTION: ("introspection or copy", "do it once, outside the traced code"),
    Family.EXCEPTION: ("exception that steers the trace", "test the condition instead of catching the failure"),
    Family.FORCED: ("forced by the user", "remove the request to leave the graph, or accept it"),
    Family.INTERNAL: ("limit inside torch", "reduce it and report it to torch"),
    Family.UNCLASSIFIED: ("reason not known to this version", "read the reason; report it to flake8-torchtrace"),
}


class Confidence(str, Enum):
    """How well the source alone supports a finding."""

    LIKELY = "likely"
    POSSIBLE = "possible"


@dataclass(frozen=True, order=True)
class Span:
    """A piece of source: ``line``/``end_line`` 1-based and inclusive, ``column``/``end_column`` 0-based, end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int

    def has_line(self, line: int) -> bool:
        """Whether ``line`` (1-based) lies inside."""
        return self.line <= line <= self.end_line


@dataclass(frozen=True)
class Finding:
    """A claim: torch will break here.

    ``span`` is the offending token; ``statement`` the statement it stands in (for a compound statement its header only).
    ``related`` holds further statements that are the same problem seen elsewhere: the branch that a value taken out by
    ``.item()`` decides, or the place such a value came from. ``chain`` is the way from the entry point
    (``("forward", "_mask", "expand")``); ``owner`` the class whose entry point that is, or None for a free function.
    """

    code: str
    rule: str
    path: str
    span: Span
    statement: Span
    message: str
    confidence: Confidence
    family: Family
    targets: frozenset[Target]
    function: str
    owner: str | None = None
    chain: tuple[str, ...] = ()
    evidence: str | None = None
    related: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Frame:
    """One frame of the user's stack when torch broke. ``column``/``end_column`` are None where torch gives no position."""

    path: str
    line: int
    function: str
    column: int | None = None
    end_column: int | None = None


class ObservationKind(str, Enum):
    """What torch did: split a frame, gave a whole frame up, refused, or died."""

    BREAK = "break"
    SKIPPED_FRAME = "skipped-frame"
    REFUSAL = "refusal"
    CRASH = "crash"


@dataclass(frozen=True)
class Observation:
    """One break or refusal as torch reported it.

    ``reason`` is torch's own text; ``gb_id`` the registry id (``GB0170``) where the installed torch has one; ``stack`` the
    user's frames, outermost first; ``exception`` the class name of what was raised. ``crossing`` names the intermediate
    tensors that the function which goes on after a break is guarded on. ``tracer`` is who refused: ``dynamo`` reads bytecode,
    a ``fake tensor`` has no data, ``python`` is the code itself run on fake tensors; ``subject`` the ATen operator or
    symbolic expression it named.
    """

    target: Target
    kind: ObservationKind
    reason: str
    family: Family
    stack: tuple[Frame, ...]
    exception: str
    gb_id: str | None = None
    cost: str | None = None
    crossing: tuple[str, ...] = ()
    tracer: str = "dynamo"
    subject: str | None = None

    @property
    def weight(self) -> tuple[int, int]:
        """What the break costs, to sort by: nothing compiled at all, a whole frame run eagerly, a graph split; then how
        many values cross it."""
        if self.kind in (ObservationKind.CRASH, ObservationKind.REFUSAL):
            return 3, len(self.crossing)
        return 2 if self.cost else 1, len(self.crossing)

    @property
    def title(self) -> str:
        """The first line of the reason, with the id where there is one."""
        first = self.reason.strip().splitlines()[0] if self.reason.strip() else self.exception
        return f"{first} ({self.gb_id})" if self.gb_id else first


class Outcome(str, Enum):
    """What the experiment says of a finding. There is no fifth answer."""

    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    NOT_REACHED = "not-reached"
    UNVERIFIED = "unverified"


@dataclass(frozen=True)
class TargetVerdict:
    """The outcome for one target. ``detail`` is torch's reason when confirmed, and why not otherwise.

    ``inputs`` says what the run took where nobody had written inputs: ``synthesised: x = float32[2, 3]``.
    """

    outcome: Outcome
    detail: str = ""
    observation: Observation | None = None
    inputs: str = ""


@dataclass(frozen=True)
class Verdict:
    """All targets together.

    ``outcome`` is confirmed if any target is; else unverified if any is; else not-reached if any is; dismissed only if every
    target dismissed it.
    """

    torch: str
    targets: dict[Target, TargetVerdict] = field(default_factory=dict)

    @property
    def outcome(self) -> Outcome:
        """The sum over targets."""
        found = {verdict.outcome for verdict in self.targets.values()}
        for outcome in (Outcome.CONFIRMED, Outcome.UNVERIFIED, Outcome.NOT_REACHED, Outcome.DISMISSED):
            if outcome in found:
                return outcome
        return Outcome.UNVERIFIED

    @property
    def inputs(self) -> str:
        """What the deciding runs took, where nobody had written inputs; empty if somebody had."""
        return "; ".join(dict.fromkeys(verdict.inputs for verdict in self.targets.values() if verdict.inputs and verdict.outcome is self.outcome))
