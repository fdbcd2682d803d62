"""One tracer at a time: compile, fullgraph and the two exports."""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .detour import is_detoured
from .eager import describe, outcome
from .lines import Passed, recording
from .observations import breaks
from .paths import Watch
from .recorder import Recorder
from .refusals import is_of_tracing, refusal, why_unusable
from .seams import listening
from .shapes import ObservationDict, Status, TargetResult

TARGETS = ("compile", "fullgraph", "export-strict", "export-nonstrict")


def run_target(
    target: str,
    module: Callable[..., Any],
    args: Sequence[Any],
    kwargs: Mapping[str, Any],
    is_watched: Callable[[str], bool],
) -> TargetResult:
    """See ``flake8_torchtrace.tracing.run_target``."""
    watch = Watch(is_watched)
    if target == "compile":
        return _compile(module, args, kwargs, watch)
    if target == "fullgraph":
        return _fullgraph(module, args, kwargs, watch)
    if target in TARGETS:
        return _export(module, args, kwargs, watch, strict=target == "export-strict")
    raise ValueError(f"unknown target {target!r}: expected one of {', '.join(TARGETS)}")


def _compile(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], watch: Watch) -> TargetResult:
    recorder, second, why = Recorder(), None, None
    compiled = lazily_compiled(module, fullgraph=False)
    with _counting() as count, listening(recorder):
        first = _call(compiled, args, kwargs)
        known = len(recorder.runs)
        if first is None:  # some breaks show only when state left by the first call asks for another graph
            second = _call(compiled, args, kwargs)
    if first is not None and (unusable := why_unusable(first)):
        return _result("unusable", unusable, recorder, watch, count, [])
    if second is not None and not recorder.has_error(second):
        why = f"only the first call is judged: the second raised {describe(second)}"
        del recorder.runs[known:]
        second = None
    fatal = first or second
    found = breaks(recorder, watch, fatal)
    if fatal is not None and not recorder.has_error(fatal):
        found.append(refusal("crash", fatal, watch))
    return _result("crashed" if fatal else "broke" if found else "ok", why, recorder, watch, count, found)


def _fullgraph(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], watch: Watch) -> TargetResult:
    recorder = Recorder()
    with _counting() as count, listening(recorder):
        error = _call(lazily_compiled(module, fullgraph=True), args, kwargs)
    if error is not None and is_detoured() and recorder.runs and not recorder.has_error(error):
        error = None  # traced to the end; what then ran had values that stand in for others
    return _verdict("fullgraph", error, recorder, watch, count)


def lazily_compiled(module: Any, fullgraph: bool) -> Callable[..., Any]:
    """``torch.compile(module)``, made at the first call: torch may refuse the interpreter as soon as it is asked."""
    import torch

    @functools.cache
    def compiled() -> Any:
        return torch.compile(module, backend="eager", fullgraph=fullgraph)

    return lambda *args, **kwargs: compiled()(*args, **kwargs)


def _export(module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], watch: Watch, strict: bool) -> TargetResult:
    import torch
    import torch.export

    recorder, programs, raised = Recorder(), [], list[BaseException]()
    lines: contextlib.AbstractContextManager[set[Passed]] = contextlib.nullcontext(set())
    if not strict:  # non-strict export runs the Python code itself
        lines = recording(watch, raised)
    torch.manual_seed(0)
    with listening(recorder), lines as visited:
        error = outcome(lambda: programs.append(torch.export.export(as_module(module), tuple(args), dict(kwargs) or None, strict=strict)))
    recorder.outside.visited |= visited
    ops = sum(node.op.startswith("call_") for program in programs for node in program.graph.nodes)
    target = "export-strict" if strict else "export-nonstrict"
    caught = [refusal("refusal", item, watch, target) for item in raised if is_of_tracing(item)]
    if caught and (error is None or not is_of_tracing(error)):  # the code under test caught it, and the program holds what it did then
        return _result("refused", None, recorder, watch, {"graphs": len(programs), "ops": ops}, caught)
    return _verdict(target, error, recorder, watch, {"graphs": len(programs), "ops": ops})


def as_module(module: Any) -> Any:
    """``torch.export`` takes modules only: a plain function, or a method of a module, gets a module around it."""
    import torch

    if isinstance(module, torch.nn.Module):
        return module

    class Plain(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.owner = module.__self__ if inspect.ismethod(module) else None  # its parameters are then parameters here

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return module(*args, **kwargs)

    return Plain()


def _call(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> BaseException | None:
    import torch

    torch.manual_seed(0)
    return outcome(lambda: function(*args, **kwargs))


@contextlib.contextmanager
def _counting() -> Any:
    """Graphs and operators captured while the block runs (``torch._dynamo.utils.counters``)."""
    from torch._dynamo.utils import counters

    before = dict(counters["stats"])
    count = {"graphs": 0, "ops": 0}
    try:
        yield count
    finally:
        for name, key in (("graphs", "unique_graphs"), ("ops", "calls_captured")):
            count[name] = counters["stats"][key] - before.get(key, 0)


def _verdict(
    target: str, error: BaseException | None, recorder: Recorder, watch: Watch, count: Mapping[str, int]
) -> TargetResult:
    if error is None:
        return _result("ok", None, recorder, watch, count, [])
    why = why_unusable(error)
    if why:
        return _result("unusable", why, recorder, watch, count, [])
    return _result("refused", None, recorder, watch, count, [refusal("refusal", error, watch, target)])


def _result(
    status: Status,
    why: str | None,
    recorder: Recorder,
    watch: Watch,
    count: Mapping[str, int],
    found: list[ObservationDict],
) -> TargetResult:
    runs = [recorder.outside, *recorder.runs]
    passed = {place for run in runs for place in run.visited | run.earlier}
    kept = {place for run in runs if run.is_kept for place in run.visited}
    return {
        "status": status,
        "why": why,
        "graphs": count["graphs"],
        "frames": len(recorder.runs),
        "ops": count["ops"],
        "observations": found,
        "traced": watch.lines(passed),
        "abandoned": watch.lines(passed - kept) if status == "broke" else {},
        "points": watch.points(kept if status == "broke" else passed),
    }
