"""Sizes that vary: what torch makes of each dimension of the inputs, and whether what it makes holds at other sizes.

As all of ``tracing`` this runs only in a child process, depends on nothing but torch, and gives plain data. ``build`` gives a
module with its arguments, fresh each time and always the same; it is called once for each size that is tried. ``spec`` names the
dimensions that may vary, as ``specs`` describes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from .results import CauseDict, DimDict, DynamicReport, DynamicResult, RecompileResult, ReplayDict

if TYPE_CHECKING:
    from .specs import Spec

__all__ = [
    "CauseDict", "DimDict", "DynamicReport", "DynamicResult", "RecompileResult", "ReplayDict", "hold", "probe", "recompiles", "run",
    "spec_of",
]  # fmt: skip

Build = Callable[[], tuple[Callable[..., Any], Any, Any]]


def run(target: str, build: Build, is_watched: Callable[[str], bool], spec: Spec | None = None) -> DynamicReport:
    """What ``target`` makes of sizes that vary: those of ``spec``, or without one all that there are.

    ``fullgraph`` is not asked: it compiles as ``compile`` does.
    """
    from .entry import entry_of

    report: DynamicReport = {"entry": entry_of(build()[0]), "export": None, "compile": None}
    if target == "compile":
        report["compile"] = recompiles(build, is_watched, spec)
    else:
        strict = target == "export-strict"
        report["export"] = probe(build, is_watched, strict) if spec is None else hold(build, is_watched, strict, spec)
    return report


def probe(build: Build, is_watched: Callable[[str], bool], strict: bool) -> DynamicResult:
    """Export with every dimension of every tensor left to torch (``Dim.AUTO``), and try other sizes of each.

    Tells which dimensions stay symbolic and in which range, what specialised the others, whether the module itself takes other
    sizes there, and whether the program does what the module does at other sizes.
    """
    from .probing import probe as run

    return run(build, is_watched, strict)


def hold(build: Build, is_watched: Callable[[str], bool], strict: bool, spec: Spec) -> DynamicResult:
    """Export with the dimensions of ``spec``, and call the program at both ends of each range, between, and outside.

    Of a refusal it tells what violates the ranges that were asked for.
    """
    from .holding import hold as run

    return run(build, is_watched, strict, spec)


def recompiles(build: Build, is_watched: Callable[[str], bool], spec: Spec | None = None) -> list[RecompileResult]:
    """Compile the module and call it with other sizes of each dimension that it takes in other sizes, or of those in ``spec``."""
    from .compiling import recompiles as run

    return run(build, is_watched, spec)


def spec_of(plain: Mapping[str, Mapping[str, Any]] | None) -> Spec | None:
    """A specification from its form on the wire, where keys are strings."""
    if plain is None:
        return None
    return {int(index): {int(dim): entry for dim, entry in dims.items()} for index, dims in plain.items()}
