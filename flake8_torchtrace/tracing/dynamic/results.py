"""What leaves this package: plain, JSON-serialisable, the same on every torch."""

from __future__ import annotations

from typing import Literal, TypedDict

from ..shapes import FrameDict, ObservationDict

State = Literal["symbolic", "specialised", "static"]
Effect = Literal["same", "differs", "refused", "eager-refuses", "untried"]
Place = Literal["example", "min", "max", "inside", "below", "above", "guarded", "apart"]


class CauseDict(TypedDict):
    """Why torch decided about a size: ``text`` is the guard, with sizes by name; ``stack`` the user's frames, outermost first."""

    text: str
    stack: list[FrameDict]


class DimDict(TypedDict):
    """One dimension of one input tensor.

    ``input`` and ``dim`` say which, ``size`` is that of the example. ``expression`` is torch's size of a symbolic one, from
    ``lower`` to ``upper`` (None: no limit). ``cause`` is what specialised it, ``told`` what torch logged or warned of that, None if
    nothing. ``static`` ones were not asked to vary. ``accepts`` are other sizes that the module itself takes, in eager; ``refuses``
    those that it does not.
    """

    input: str
    dim: int
    size: int
    state: State
    name: str | None
    expression: str | None
    lower: int | None
    upper: int | None
    cause: CauseDict | None
    told: str | None
    accepts: list[int]
    refuses: list[int]


class ReplayDict(TypedDict):
    """The exported program called with other sizes, against the module itself.

    ``sizes`` maps ``x.shape[0]`` to what was tried, at ``place`` of the range; ``guarded`` ones do not keep the guard that is the
    ``cause``, of ``apart`` ones one of two sizes that the ``cause`` made equal has changed. ``effect``: ``same`` result as eager; ``differs``;
    ``refused`` by the program though eager takes it; ``eager-refuses``: the module itself does not take this size; ``untried``.
    ``accepted`` is whether the program gave a result at all, ``why`` says what is not ``same``.
    """

    place: Place
    sizes: dict[str, int]
    effect: Effect
    accepted: bool
    why: str | None
    cause: CauseDict | None


class DynamicResult(TypedDict):
    """One export with dimensions that may vary.

    ``status`` as in ``TargetResult``, ``missing`` if this torch lacks what it takes (``why`` says what). ``observations`` holds a
    refusal. ``guards`` are all conditions on sizes that torch put, ``violated`` those that the asked ranges do not keep.
    """

    status: Literal["ok", "refused", "unusable", "missing"]
    why: str | None
    observations: list[ObservationDict]
    dims: list[DimDict]
    guards: list[CauseDict]
    violated: list[CauseDict]
    replays: list[ReplayDict]


class CompiledCall(TypedDict):
    """One call of a compiled module: the varied sizes, how many frames were compiled for it, and the guards that failed, in torch's words."""

    sizes: dict[str, int]
    compiled: int
    reasons: list[str]
    error: str | None


class RecompileResult(TypedDict):
    """A compiled module called with one size after another, first that of the example, in the dimensions ``varied``.

    Torch compiles for the example's size, then once more for any size; what it compiles after that is told in ``causes``.
    ``limit`` is torch's own limit of compilations of one function, ``hit_limit`` whether it was reached: from then on the function
    runs as plain Python.
    """

    varied: list[str]
    calls: list[CompiledCall]
    limit: int
    hit_limit: bool
    causes: list[CauseDict]


class DynamicReport(TypedDict):
    """What one target makes of sizes that vary: an ``export`` target, or ``compile``. ``entry`` is the function that is called."""

    entry: FrameDict | None
    export: DynamicResult | None
    compile: list[RecompileResult] | None
