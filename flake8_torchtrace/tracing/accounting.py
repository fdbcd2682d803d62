"""What a default compile made of a module: its frames, graphs and guards, and what each break costs."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .eager import describe, outcome
from .observations import breaks
from .paths import Watch, real_path
from .recorder import FrameRun, Recorder
from .seams import listening, replaced
from .shapes import Account, FrameAccount, GuardDict
from .stacks import without_prefix
from .targets import lazily_compiled

_RESUMES_AT = re.compile(r"_at_(\d+)(?:_\d+)?$")


def account(module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], is_watched: Callable[[str], bool]) -> Account:
    """See ``flake8_torchtrace.tracing.account``."""
    import torch
    from torch._dynamo.utils import counters

    recorder, watch = Recorder(), Watch(is_watched)
    counters.clear()
    compiled = lazily_compiled(module, fullgraph=False)
    with listening(recorder), _listening_to_graphs(recorder):
        error: BaseException | None = None
        for _ in range(2):  # some breaks and recompiles show only when the first call has left its state
            torch.manual_seed(0)
            error = error or outcome(lambda: compiled(*args, **kwargs))
    return {
        "frames": [_frame(run, recorder) for run in recorder.runs],
        "breaks": breaks(recorder, watch, error),
        "explain": None,
        "counter": sum(counters["graph_break"].values()),
        "error": None if error is None else describe(error),
    }


def explained(module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> int | None:
    """``torch._dynamo.explain``'s count of breaks; None where it fails. Needs a module that no tracer has seen yet."""
    import torch

    counts: list[int] = []
    torch._dynamo.reset()
    outcome(lambda: counts.append(torch._dynamo.explain(module)(*args, **kwargs).graph_break_count))
    return counts[0] if counts else None


def _frame(run: FrameRun, recorder: Recorder) -> FrameAccount:
    code = run.code
    assert code is not None
    guards: list[GuardDict] = [{"on": name, "kind": kind} for name, kind in run.guards]
    guarded = " ".join(guard["on"] for guard in guards)
    return {
        "path": real_path(code.co_filename),
        "function": without_prefix(code.co_name),
        "line": code.co_firstlineno,
        "resumes_at": _resumes_at(run, recorder),
        "outcome": _outcome(run),
        "is_recompile": run.is_recompile,
        "graphs": run.graphs,
        "guards": guards,
        "crossing": [name for name in run.crossing if f"L['{name}']" in guarded],
    }


def _outcome(run: FrameRun) -> Any:
    if run.outcome == "raised":
        return "raised"
    if run.outcome == "code":
        return "compiled"
    return "empty" if run.is_kept else "skipped"


def _resumes_at(run: FrameRun, recorder: Recorder) -> int | None:
    """The line of the break: in the name of the function (torch 2.3 and later), else that of the split it was made for."""
    if run.code is None or not run.is_resumed:
        return None
    named = _RESUMES_AT.search(run.code.co_name)
    if named:
        return int(named.group(1))
    splits = (split for earlier in recorder.runs for split in earlier.splits if run.code in split.resumes)
    return next((split.stack[-1]["line"] for split in splits if split.stack), None)


@contextlib.contextmanager
def _listening_to_graphs(recorder: Recorder) -> Iterator[None]:
    """Note the graphs handed to the backend (``OutputGraph.call_user_compiler``) and the guards (``CheckFunctionManager``)."""
    from torch._dynamo.guards import CheckFunctionManager
    from torch._dynamo.output_graph import OutputGraph

    with (
        replaced(OutputGraph, "call_user_compiler", _on_graph(OutputGraph.call_user_compiler, recorder)),
        replaced(CheckFunctionManager, "__init__", _on_guards(CheckFunctionManager.__init__, recorder)),
    ):
        yield


def _on_graph(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(self: Any, gm: Any, *args: Any, **kwargs: Any) -> Any:
        recorder.current.graphs.append(sum(node.op.startswith("call_") for node in gm.graph.nodes))
        return original(self, gm, *args, **kwargs)

    return hook


def _on_guards(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(self: Any, *args: Any, **kwargs: Any) -> None:
        graph = next((value for value in (*args, *kwargs.values()) if hasattr(value, "guards")), None)
        if graph is not None:
            recorder.current.guards = sorted({(guard.name, _kind(guard)) for guard in graph.guards})
        original(self, *args, **kwargs)

    return hook


def _kind(guard: Any) -> str:
    """The name of the check, such as ``TENSOR_MATCH``."""
    check = guard.inner_create_fn()
    return str(getattr(check, "__name__", check))
