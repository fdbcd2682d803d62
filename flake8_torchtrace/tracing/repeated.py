"""A compiled module called several times: what breaks or recompiles after the first call, and for which guard."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .eager import describe, outcome
from .observations import breaks
from .paths import Watch, real_path
from .recorder import Recorder
from .refusals import refusal, why_unusable
from .seams import listening, replaced
from .shapes import ObservationDict, RecompileDict, RepeatResult
from .targets import lazily_compiled

# torch 2.2 gives one reason, later versions one for each piece of code that did not fit, the latest first.
_ASKED = ("get_and_maybe_log_recompilation_reasons", "get_and_maybe_log_recompilation_reason")
_PLACE = re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+)')
_NUMBER = re.compile(r"^\s*\d+/\d+: ")


def repeat(
    module: Callable[..., Any], calls: Sequence[tuple[Sequence[Any], Mapping[str, Any]]], is_watched: Callable[[str], bool], fullgraph: bool
) -> RepeatResult:
    """See ``flake8_torchtrace.tracing.repeat``."""
    import torch

    recorder, watch = Recorder(), Watch(is_watched)
    compiled = lazily_compiled(module, fullgraph)
    recompiles: list[RecompileDict] = []
    error: BaseException | None = None
    done = 0
    with listening(recorder), _listening_to_guards(recorder, recompiles):
        for args, kwargs in calls:
            torch.manual_seed(0)
            error = outcome(functools.partial(compiled, *args, **kwargs))
            if error is not None:
                break
            done += 1
    observations: list[ObservationDict] = breaks(recorder, watch, error)
    why = None if error is None else why_unusable(error)
    is_of_torch = error is not None and recorder.has_error(error)
    if error is not None and why is None and not is_of_torch and not _is_refusal(error):
        why = f"call {done + 1} of the compiled module raised {describe(error)}"
    if error is not None and why is None:
        observations = [refusal("refusal" if fullgraph else "crash", error, watch)]
    status: Any = "unusable" if why else ("refused" if fullgraph else "crashed") if error else "broke" if observations else "ok"
    return {"status": status, "why": why, "calls": done, "observations": [] if why else observations, "recompiles": recompiles}


def _is_refusal(error: BaseException) -> bool:
    """Whether only dynamo raises such an exception."""
    return any(kind.__module__ == "torch._dynamo.exc" for kind in type(error).__mro__)


@contextlib.contextmanager
def _listening_to_guards(recorder: Recorder, found: list[RecompileDict]) -> Iterator[None]:
    from torch._dynamo import convert_frame

    name = next((name for name in _ASKED if hasattr(convert_frame, name)), None)
    if name is None:  # recompiles are then counted by frame, without their guards
        yield
        found.extend(_by_frame(recorder))
        return
    with replaced(convert_frame, name, _on_recompile(getattr(convert_frame, name), found)):
        yield


def _on_recompile(original: Any, found: list[RecompileDict]) -> Any:
    @functools.wraps(original)
    def hook(cache_entry: Any, frame: Any, *args: Any, **kwargs: Any) -> Any:
        told = original(cache_entry, frame, *args, **kwargs)
        reasons = [told] if isinstance(told, str) else list(told or ())
        found.append(_recompile(str(reasons[0]) if reasons else "", frame.f_code))
        return told

    return hook


def _recompile(reason: str, code: Any) -> RecompileDict:
    places = list(_PLACE.finditer(reason))
    path, line = (places[-1]["path"], int(places[-1]["line"])) if places else (code.co_filename, code.co_firstlineno)
    first = (reason.strip().splitlines() or ["the guards failed"])[0]
    guard = _NUMBER.sub("", first).split("  #")[0].strip()
    return {"path": real_path(path), "line": line, "function": code.co_name, "guard": guard}


def _by_frame(recorder: Recorder) -> Iterator[RecompileDict]:
    for run in recorder.runs:
        if run.is_recompile and run.code is not None:
            yield _recompile("", run.code)
