"""The experiment: run a module under each of torch's tracers and record what they did.

Runs only in a child process that owns the module it is given. Depends on the standard library and torch and on nothing
else of this package, so that the directory can be loaded in an interpreter where the package is not installed. torch is
imported late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from .shapes import Account, Description, EagerResult, Loaded, RepeatResult, Saved, TargetResult

__all__ = [
    "Account", "Description", "EagerResult", "Loaded", "RepeatResult", "Saved", "TargetResult", "account", "described", "load", "prewarm",
    "remember", "repeat", "reset", "run_eager", "run_target", "save", "self_check", "spare_measuring", "step_around", "stepping_around",
]  # fmt: skip

IsWatched = Callable[[str], bool]


def prewarm() -> None:
    """Import torch and its tracers and use each once, so that children forked afterwards start warm."""
    from .warm import prewarm as run

    run()


def spare_measuring() -> None:
    """Have torch leave out what it does only to measure itself. For a process that runs nothing else."""
    from .spare import spare_measuring as run

    run()


def self_check() -> list[str]:
    """Sentences saying how the installed torch differs from what the observer relies on; empty when all is well.

    Compiles three snippets, so run it in a process of its own.
    """
    from .check import self_check as run

    return run()


def account(build: Callable[[], tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]], is_watched: IsWatched) -> Account:
    """Compile what ``build`` makes and say what became of it: frames, graphs, guards, breaks and torch's own counts of them.

    ``build`` gives a module with its arguments, fresh each time; it is called twice, the second time for
    ``torch._dynamo.explain``. Use a fresh process.
    """
    from .accounting import account as run
    from .accounting import explained

    found = run(*build(), is_watched)
    found["explain"] = explained(*build())
    return found


def reset() -> None:
    """Have torch forget all that it traced in this process."""
    import torch
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()


def run_eager(
    module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], is_watched: IsWatched
) -> EagerResult:
    """Call ``module`` once without any tracer and list the lines of watched files that ran.

    ``is_watched`` gets an absolute real path. An exception of the call is reported in the result, not raised.
    """
    from .eager import run_eager as run

    return run(module, args, kwargs, is_watched)


def run_target(target: str, module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], is_watched: IsWatched) -> TargetResult:
    """Trace ``module`` for one target and report every break, refusal or crash.

    ``target`` is ``compile``, ``fullgraph``, ``export-strict`` or ``export-nonstrict``; anything else raises
    ``ValueError``. Use a fresh process and a fresh module for each call: a tracer leaves state behind that changes the
    next verdict.
    """
    from .targets import run_target as run

    return run(target, module, args, kwargs, is_watched)


def step_around(places: Sequence[Mapping[str, Any]]) -> None:
    """Make tracers pass by ``places`` in files imported from now on, once ``remember`` has run the module.

    A place has ``path``, ``line``, ``column`` and ``end_column`` (characters, or None) and ``whole``: whether to leave out its
    statement and not only the expression there. Importing a file raises ``detour.NoDetourError`` where that cannot be done.
    """
    from .detour import Place, install

    install([Place(**place) for place in places])


def stepping_around(places: Sequence[Mapping[str, Any]]) -> AbstractContextManager[None]:
    """As `step_around`, in files that are imported already and while the block runs.

    Raises NoDetourHereError where that takes a process that imports them anew, ``detour.NoDetourError`` where it cannot be done.
    """
    from .detour import Place
    from .swap import swapped

    return swapped([Place(**place) for place in places])


def remember(module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """Call ``module`` to learn what stands at the places that ``step_around`` has named. What went wrong, or None.

    Trace another instance afterwards: the call may have changed this one.
    """
    from .eager import run_eager as run
    from .known import freeze

    result = run(module, args, kwargs, lambda path: False)
    freeze()
    return result["error"]


def described(module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], spec: Any = None) -> Description:
    """What non-strict export makes of ``module``, for a person. ``spec``: dimensions that vary, as ``dynamic.spec_of`` gives them."""
    from .described import described as run

    return run(module, args, kwargs, spec)


def save(
    build: Callable[[], tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]], spec: Any = None
) -> tuple[Saved, bytes, bytes]:
    """Export what ``build`` makes, non-strictly: the saved program, and a call of the module with its result.

    ``build`` gives a module with its arguments, fresh each time. ``spec``: dimensions that vary, as ``dynamic.spec_of`` gives them.
    """
    from .artifact import save as run

    return run(build, spec)


def load(archive: str, call: str, blocked: Sequence[str]) -> Loaded:
    """Load what `save` has given, from two files, make the call, and compare the result.

    Nothing can be imported from ``blocked`` in this process then.
    """
    from .artifact import load as run

    return run(archive, call, blocked)


def repeat(
    module: Callable[..., Any], calls: Sequence[tuple[Sequence[Any], Mapping[str, Any]]], is_watched: IsWatched, fullgraph: bool
) -> RepeatResult:
    """Compile ``module`` and call it with the arguments of each of ``calls`` in turn: breaks and recompiles of all calls.

    With ``fullgraph`` a break is a refusal. Use a fresh process and a fresh module.
    """
    from .repeated import repeat as run

    return run(module, calls, is_watched, fullgraph)
