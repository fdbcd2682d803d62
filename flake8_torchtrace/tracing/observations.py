"""From what the seams recorded to a list in which every break of a default compile stands exactly once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import CodeType

from .families import cost_of, family_of, is_no_break
from .paths import Watch
from .recorder import FrameRun, Raised, Recorder, Split
from .registry import first_line, gb_id
from .shapes import Kind, ObservationDict
from .stacks import Stack, collapse, from_code, from_summaries, from_user_code, innermost_watched

_Key = tuple[object, ...]


def breaks(recorder: Recorder, watch: Watch, fatal: BaseException | None = None) -> list[ObservationDict]:
    """All breaks of the frames compiled, in the order torch met them. ``fatal`` is what the compiled call raised."""
    crossing = {run.code: run.crossing for run in recorder.runs if run.code is not None}
    found = [item for run in recorder.runs for item in _of_run(run, watch, fatal, crossing)]
    return _once(found, watch)


def observation(
    kind: Kind, text: str, exception: str, stack: Stack, gb_type: str | None = None, cost: str | None = None
) -> ObservationDict:
    """One observation with id and family worked out from torch's text."""
    found = gb_id(text, gb_type)
    return {
        "kind": kind,
        "reason": text,
        "gb_id": found,
        "gb_type": first_line(text) if found else gb_type or None,
        "family": family_of(text, exception),
        "exception": exception,
        "stack": from_user_code(stack),
        "cost": cost,
        "crossing": [],
        "tracer": "dynamo",
        "subject": None,
    }


def _of_run(
    run: FrameRun, watch: Watch, fatal: BaseException | None, crossing: Mapping[CodeType, list[str]]
) -> Iterable[ObservationDict]:
    ending = list(_ending(run, watch, fatal))
    places = {(_place(item), item["family"]) for item in ending}
    for split in run.splits:
        item = _of_split(split, run, watch)
        item["crossing"] = sorted({name for code in split.resumes for name in crossing.get(code, ())})
        if (_place(item), item["family"]) not in places:  # the frame was given up for this very break
            yield item
    yield from ending


def _of_split(split: Split, run: FrameRun, watch: Watch) -> ObservationDict:
    cause, rest_skipped = split.cause, first_line(split.reason) == "step_unsupported"
    cost = "rest of the function skipped" if rest_skipped else None
    if cause is None:
        return observation("break", split.reason, "GraphCompileReason", _full(split.stack, run, watch), cost=cost)
    stack = max(cause.stack, split.stack, key=len) if not rest_skipped else cause.stack
    return observation("break", cause.text, cause.exception, _full(stack, run, watch), cause.gb_type, cost)


def _ending(run: FrameRun, watch: Watch, fatal: BaseException | None) -> Iterable[ObservationDict]:
    """What the frame's own end says: given up, or torn down by an error."""
    if run.outcome == "raised" and run.error is not None:
        yield _of_error(run, run.error, watch, fatal)
    elif run.outcome == "nothing":
        last = run.raised[-1] if run.raised else None
        if last is not None and last.exception == "SkipFrame" and not is_no_break(last.text):
            yield _of_skip(run, last, watch)


def _of_error(run: FrameRun, error: BaseException, watch: Watch, fatal: BaseException | None) -> ObservationDict:
    """Dynamo falls back on ``Unsupported`` and ``UserError`` (``ConvertFrame.__call__``) and lets others through."""
    names = {kind.__name__ for kind in type(error).__mro__}
    soft = error is not fatal and not names.isdisjoint({"Unsupported", "UserError"})
    text = str(getattr(error, "msg", None) or run.error_text)
    stack = _full(from_summaries(getattr(error, "real_stack", None)), run, watch)
    kind: Kind = "skipped-frame" if soft else "crash"
    cost = cost_of(text) if soft else "compile raises"
    return observation(kind, text, type(error).__name__, stack, getattr(error, "gb_type", None), cost)


def _of_skip(run: FrameRun, last: Raised, watch: Watch) -> ObservationDict:
    """A frame torch 2.2 to 2.7 skipped for a break in a loop: the break is the exception it was raised from, if any."""
    cause = last.during or last
    stack = cause.stack or last.stack
    return observation(
        "skipped-frame", cause.text, cause.exception, _full(stack, run, watch), cause.gb_type, cost_of(last.text)
    )


def _full(stack: Stack, run: FrameRun, watch: Watch) -> Stack:
    """``stack`` from the user's code down: where it has no watched frame, with the frames above dynamo before it."""
    if not stack and run.code is not None:
        stack = run.here() or from_code(run.code)
    if innermost_watched(stack, watch):
        return stack
    first = next((at for at, item in enumerate(run.above) if watch.path(item["path"])), 0)
    return collapse(run.above[first:] + stack)


def _place(item: ObservationDict) -> _Key:
    stack = item["stack"]
    return (stack[-1]["path"], stack[-1]["line"], stack[-1]["column"]) if stack else ()


def _once(found: list[ObservationDict], watch: Watch) -> list[ObservationDict]:
    """Drop repeats: a break in an inlined callee is reported by the caller's frame and again by the callee's own.

    Kept is the deepest stack for each place and family; in a file that is not watched, one for each watched line that
    led there.
    """
    best: dict[_Key, ObservationDict] = {}
    for item in found:
        key = (_place(item), innermost_watched(item["stack"], watch), item["family"])
        best[key] = _merged(best[key], item) if key in best else item
    kept: list[ObservationDict] = []
    for item in sorted(best.values(), key=lambda entry: -len(entry["stack"])):
        at = next((at for at, other in enumerate(kept) if _is_tail(item, other)), None)
        if at is None:
            kept.append(item)
        else:
            kept[at] = _merged(kept[at], item)
    order = {_place(item): at for at, item in reversed(list(enumerate(best.values())))}
    return sorted(kept, key=lambda entry: order[_place(entry)])


def _merged(one: ObservationDict, other: ObservationDict) -> ObservationDict:
    """Two reports of one break: the deeper stack with the cost of both."""
    deeper, shallower = (one, other) if len(one["stack"]) >= len(other["stack"]) else (other, one)
    crossing = sorted({*one["crossing"], *other["crossing"]})
    return {**deeper, "cost": deeper["cost"] or shallower["cost"], "crossing": crossing}


def _is_tail(item: ObservationDict, other: ObservationDict) -> bool:
    """Whether ``item`` is the callee's report of what ``other`` reports from the caller."""
    short, long = (_lines(entry["stack"]) for entry in (item, other))
    return len(short) < len(long) and item["family"] == other["family"] and long[len(long) - len(short) :] == short


def _lines(stack: Stack) -> list[tuple[str, int]]:
    return [(entry["path"], entry["line"]) for entry in stack]
