"""All refusals of a target, not only the first: each is passed by in turn, and the tracer asked what it makes of the rest."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from .tasks import Reply, Spec

MOST_ROUNDS = 12
_ENDED = ("refused", "crashed")
# Such errors may come of what stands in for a value.
_DOUBTFUL_FAMILIES = frozenset({"exception", "internal", "unclassified"})

Result = dict[str, Any]
Place = dict[str, Any]


class Pursuit:
    """A target's result, and how it is taken further: ``next_places`` to pass by in another run, whose reply ``take`` adds.

    ``is_complete`` of the result tells whether the tracer came to the end in one of the runs; ``left_out`` are the lines where
    that took leaving out a whole statement.
    """

    def __init__(self, first: Result, is_watched: Callable[[str], bool], is_left: Callable[[Result], bool]) -> None:
        self.result: Result = {"is_complete": first["status"] not in _ENDED, "left_out": {}, "around": [], **first}
        self._is_watched = is_watched
        self._is_left = is_left
        self._is_over = False

    def next_places(self) -> list[Place] | None:
        """All that the next run is to pass by; None if none is needed or there is no way past the last refusal."""
        around: list[Place] = self.result["around"]
        if self._is_over or self.result["is_complete"] or len(around) >= MOST_ROUNDS or not self._is_left(self.result):
            return None
        place = _next_place(self.result, around, self._is_watched)
        return None if place is None else [*(item for item in around if not _is_same(item, place)), place]

    def take(self, places: list[Place], reply: Reply) -> None:
        """``reply`` came of a run that passed by ``places``."""
        if not reply["ok"] or not _is_sound(reply["value"], self._is_watched):
            self._is_over = True
            return
        left_out = _lines(item for item in places if item["whole"])
        self.result = {**_merged(self.result, reply["value"]), "left_out": left_out, "around": places}


async def all_refusals(
    spec: Spec, run: Callable[[Spec], Awaitable[Reply]], is_watched: Callable[[str], bool], is_left: Callable[[Result], bool]
) -> Reply:
    """The reply to ``spec`` with what further runs say of the code behind each refusal, while ``is_left`` finds some."""
    first = await run(spec)
    if not first["ok"]:
        return first
    result = await pursued(first["value"], lambda places: run({**spec, "around": places}), is_watched, is_left)
    return {"ok": True, "value": result}


async def pursued(
    first: Result, run: Callable[[list[Place]], Awaitable[Reply]], is_watched: Callable[[str], bool], is_left: Callable[[Result], bool]
) -> Result:
    """The result ``first``, which may come of another `Pursuit`, taken further in runs that pass by places."""
    pursuit = Pursuit(first, is_watched, is_left)
    while (places := pursuit.next_places()) is not None:
        pursuit.take(places, await run(places))
    return pursuit.result


def _next_place(result: Result, around: list[Place], is_watched: Callable[[str], bool]) -> Place | None:
    """Where the last run ended: the expression, and the whole statement if the expression was passed by in vain."""
    frames = [frame for frame in result["observations"][-1]["stack"] if is_watched(frame["path"])]
    if not frames:
        return None
    place = {key: frames[-1][key] for key in ("path", "line", "column", "end_column")}
    earlier = next((item for item in around if _is_same(item, place)), None)
    if earlier is not None and earlier["whole"]:
        return None
    return {**place, "whole": earlier is not None or place["column"] is None}


def _is_same(one: Place, other: Place) -> bool:
    return all(one[key] == other[key] for key in ("path", "line", "column"))


def _is_sound(further: Result, is_watched: Callable[[str], bool]) -> bool:
    """Whether a further run says something of the code itself."""
    if further["status"] not in _ENDED:
        return bool(further["status"] != "unusable")
    last = further["observations"][-1]
    return last["family"] not in _DOUBTFUL_FAMILIES and any(is_watched(frame["path"]) for frame in last["stack"])


def _merged(result: Result, further: Result) -> Result:
    known = {_identity(item) for item in result["observations"]}
    new = [item for item in further["observations"] if _identity(item) not in known]
    ended = further["status"] in _ENDED
    last = [further["observations"][-1]] if ended else []  # it says where the trace ended now, even if it is known
    kept = [item for item in result["observations"] if not last or _identity(item) != _identity(last[0])]
    passed, given_up = (_joined(result[key], further[key]) for key in ("traced", "abandoned"))
    followed = _joined(_without(result["traced"], result["abandoned"]), _without(further["traced"], further["abandoned"]))
    return {
        **result,
        "observations": [*kept, *(item for item in new if item not in last), *last],
        "graphs": max(result["graphs"], further["graphs"]),
        "traced": passed,
        "abandoned": _without(given_up, followed),
        "points": {path: result["points"].get(path, []) + more for path, more in {**result["points"], **further["points"]}.items()},
        "is_complete": not ended,
    }


def _lines(places: Iterable[Place]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place in places:
        found.setdefault(place["path"], []).append(place["line"])
    return found


def _identity(item: dict[str, Any]) -> tuple[object, ...]:
    return (item["family"], *((frame["path"], frame["line"], frame["column"]) for frame in item["stack"][-1:]))


def _joined(one: dict[str, list[int]], other: dict[str, list[int]]) -> dict[str, list[int]]:
    return {path: sorted({*one.get(path, ()), *other.get(path, ())}) for path in {**one, **other}}


def _without(one: dict[str, list[int]], other: dict[str, list[int]]) -> dict[str, list[int]]:
    return {path: sorted(set(lines) - set(other.get(path, ()))) for path, lines in one.items()}
