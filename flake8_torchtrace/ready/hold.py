"""Whether a class keeps its promises, judged by what torch did: kept only where an experiment said so."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from flake8_torchtrace.inputs.mistakes import shown
from flake8_torchtrace.model import Frame, Observation, Target
from flake8_torchtrace.ready.blame import Blame, Spot
from flake8_torchtrace.ready.collect import Promised
from flake8_torchtrace.ready.experiments import OF_EXPORT, Answer
from flake8_torchtrace.ready.promises import Promise
from flake8_torchtrace.verify.reasons import short_reason
from flake8_torchtrace.verify.results import parse_observation
from flake8_torchtrace.verify.sizes_told import problem, told

Run = dict[str, Any]


@dataclass(frozen=True)
class Held:
    """One promise of one class. ``why`` is empty if it is kept, else what broke it, at ``spot``; ``runs`` say with which inputs.

    ``follows`` names promises that cannot be kept either then. ``was_checked``: an experiment broke it.
    """

    promised: Promised
    promise: Promise
    spot: Spot
    why: str = ""
    runs: tuple[str, ...] = ()
    follows: tuple[Promise, ...] = ()
    was_checked: bool = True

    @property
    def is_kept(self) -> bool:
        """Whether it is."""
        return not self.why

    @property
    def words(self) -> str:
        """The promise as people write it."""
        return self.promised.promises.words(self.promise)


@dataclass(frozen=True)
class Failure:
    """What broke a promise, at which spot."""

    spot: Spot
    why: str
    was_checked: bool = True


def hold(promised: Promised, answer: Answer, blame: Blame) -> list[Held]:
    """Every promise of the class, in order; those that follow from a refused export are told with it."""
    found: list[Held] = []
    for promise in promised.promises.ordered:
        refused = next((item for item in found if item.promise is Promise.EXPORT and not item.is_kept), None)
        if refused is not None and promise in OF_EXPORT:
            found[found.index(refused)] = _with_follower(refused, promise)
            continue
        found.append(_held(promised, promise, answer, blame))
    return found


def breaks_and_recompiles(answer: Answer) -> tuple[int, int]:
    """The most breaks and the most recompiles in a default compile, of all runs that there were."""
    repeats = [item for run in answer["runs"] for item in run.get("repeats", ()) if not item["fullgraph"] and item["status"] != "unusable"]
    return max((len(item["observations"]) for item in repeats), default=0), max((len(item["recompiles"]) for item in repeats), default=0)


def _with_follower(held: Held, promise: Promise) -> Held:
    return Held(held.promised, held.promise, held.spot, held.why, held.runs, (*held.follows, promise), held.was_checked)


def _held(promised: Promised, promise: Promise, answer: Answer, blame: Blame) -> Held:
    runs = answer.get("runs", [])
    good = [run for run in runs if run["reason"] is None]
    at_class = blame.at_class(promised)
    labels = tuple(run["label"] for run in good)
    failed = [run for run in runs if run["reason"] is not None]
    # A make() that fails may be for another class: with inputs that work it is not held against this one.
    bad = next((run for run in failed if run["subject"] or not good), None)
    if not good:
        return Held(promised, promise, at_class, _why_not_run(promised, answer, bad), labels, was_checked=False)
    if bad is not None:
        why = f"could not be checked with {bad['label']}: {bad['reason']}"
        return Held(promised, promise, at_class, why, labels, was_checked=False)
    for run in good:
        failure = _CHECKS[promise](_Case(promised, promise, run, blame))
        if failure is not None:
            said = f"{failure.why} (with {run['label']})" if len(good) > 1 else failure.why
            return Held(promised, promise, failure.spot, said, labels, was_checked=failure.was_checked)
    return Held(promised, promise, at_class, "", labels)


def _why_not_run(promised: Promised, answer: Answer, bad: Run | None) -> str:
    if "failure" in answer:
        return f"could not be checked: {answer['failure']}"
    reason = bad["reason"] if bad is not None else next(iter(answer["problems"]), None)
    if reason is not None:
        return f"could not be checked: {reason}"
    name = promised.place.outline.name
    how = f"make() or example_inputs() in {shown(promised.place.path)}, or a recipe"
    return f"could not be checked: there are no inputs for {name} (how: {how})"


@dataclass(frozen=True)
class _Case:
    """One promise with one run."""

    promised: Promised
    promise: Promise
    run: Run
    blame: Blame

    def failure(self, observation: Observation, before: str = "") -> Failure:
        return Failure(self.blame.spot(self.promised, observation.stack), f"{before}{short_reason(observation)}")

    def unchecked(self, why: str) -> Failure:
        return Failure(self.blame.at_class(self.promised), f"could not be checked: {why}", was_checked=False)

    def refused(self) -> Failure | None:
        """That there is no program, if export refuses it."""
        found = self.run["targets"][Target.EXPORT_NONSTRICT.value]
        for observation in _observations(Target.EXPORT_NONSTRICT, found) if found["status"] == "refused" else ():
            return self.failure(observation, "export refuses it: ")
        return None

    def repeat(self, fullgraph: bool) -> dict[str, Any]:
        found: list[dict[str, Any]] = [item for item in self.run["repeats"] if item["fullgraph"] is fullgraph]
        return found[0]


def _fullgraph(case: _Case) -> Failure | None:
    found = case.repeat(fullgraph=True)
    if found["status"] == "unusable":
        return case.unchecked(found["why"])
    for observation in _observations(Target.FULLGRAPH, found):
        return case.failure(observation, f"call {found['calls'] + 1}: " if found["calls"] else "")
    return None if found["status"] == "ok" else case.unchecked("torch refused it and gave no reason")


def _exported(target: Target) -> Callable[[_Case], Failure | None]:
    def check(case: _Case) -> Failure | None:
        found = case.run["targets"][target.value]
        if found["status"] == "unusable":
            return case.unchecked(found.get("why") or "it could not be exported")
        for observation in _observations(target, found):
            return case.failure(observation)
        return None if found["status"] == "ok" else case.unchecked("torch refused it and gave no reason")

    return check


def _max_breaks(case: _Case) -> Failure | None:
    found, limit = case.repeat(fullgraph=False), case.promised.promises.limit(Promise.MAX_BREAKS)
    if found["status"] == "unusable":
        return case.unchecked(found["why"])
    breaks = list(_observations(Target.COMPILE, found))
    if len(breaks) <= limit and found["status"] != "crashed":
        return None
    costly = sorted(breaks, key=lambda item: item.weight, reverse=True)
    places = ", ".join(dict.fromkeys(str(case.blame.spot(case.promised, item.stack)) for item in breaks))
    return case.failure(costly[0], f"{len(breaks)} graph breaks, at {places}; the most costly: " if len(breaks) > 1 else "1 graph break: ")


def _max_recompiles(case: _Case) -> Failure | None:
    found, limit = case.repeat(fullgraph=False), case.promised.promises.limit(Promise.MAX_RECOMPILES)
    if found["status"] == "unusable":
        return case.unchecked(found["why"])
    for observation in _observations(Target.COMPILE, found) if found["status"] == "crashed" else ():
        return case.failure(observation)
    recompiles = found["recompiles"]
    if len(recompiles) <= limit:
        return None
    last = recompiles[-1]
    what = f"{len(recompiles)} recompiles in {found['calls']} calls" if len(recompiles) != 1 else f"1 recompile in {found['calls']} calls"
    spot = case.blame.of_line(case.promised, last["path"], last["line"])
    return Failure(spot, f"{what}, the last because this no longer held: {last['guard']}")


def _dynamic(case: _Case) -> Failure | None:
    reports = case.run["dynamic"].get("declared")
    if not reports:
        return case.unchecked("nothing says which dimensions vary: give bounds with the promise, or dynamic_shapes with the inputs")
    report = reports[Target.EXPORT_NONSTRICT.value]
    why = problem(report)
    if why is not None:
        return case.unchecked(why)
    for item in told(Target.EXPORT_NONSTRICT, _of_what_can_be_refused(report), True, False):
        stack = [Frame(**frame) for frame in item.stack]
        return Failure(case.blame.spot(case.promised, stack), f"{item.message} ({item.detail})")
    return None


def _of_what_can_be_refused(report: dict[str, Any]) -> dict[str, Any]:
    """``report`` without sizes 0 and 1 that the program takes rightly: export puts no check for a lower bound of 2 or less."""
    if report["export"] is None:
        return report

    def is_left_open(replay: dict[str, Any]) -> bool:
        return replay["place"] == "below" and replay["effect"] == "same" and max(replay["sizes"].values(), default=2) < 2

    kept = [replay for replay in report["export"]["replays"] if not is_left_open(replay)]
    return {**report, "export": {**report["export"], "replays": kept}}


def _portable(case: _Case) -> Failure | None:
    found = case.run["portable"]
    if found["problem"] is not None:
        return case.unchecked(found["problem"])
    if found["error"] is None or (refused := case.refused()) is not None:
        return None if found["error"] is None else refused
    for item in found["foreign"]:
        if item["operator"].replace("::", ".") in found["error"]:
            spot = case.blame.spot(case.promised, [Frame(**frame) for frame in item["stack"]])
            return Failure(spot, f"it cannot be loaded where this code cannot be imported: nobody knows the operator {item['operator']} there")
    return Failure(case.blame.at_class(case.promised), found["error"])


def _without(kinds: tuple[str, ...]) -> Callable[[_Case], Failure | None]:
    def check(case: _Case) -> Failure | None:
        found, target = case.run["replayed"], Target.EXPORT_NONSTRICT.value
        if target not in found["faults"]:
            return case.refused() or case.unchecked(found["problems"].get(target, "it is not exported"))
        for fault in found["faults"][target]:
            is_by_change = kinds is _OF_RESULTS and fault["kind"] == _LOST_CHANGE and _DIFFERS in fault["detail"]
            if (fault["kind"] in kinds and fault["subject"] != _MODE) or is_by_change:
                spot = case.blame.of_line(case.promised, fault["path"], fault["line"])
                return Failure(spot, f"{fault['subject']}: {fault['detail']}" if fault["subject"] else fault["detail"])
        return None

    return check


def _observations(target: Target, found: dict[str, Any]) -> Iterator[Observation]:
    return (parse_observation(target, item) for item in found["observations"])


# Kinds of faults (tracing/replay/judge.py). A change that is lost may tell too that results differ by it. That a program is for one mode breaks
# nothing: promises are about a mode.
_LOST_CHANGE, _DIFFERS, _MODE = "lost-change", "from call", "`training`"
_OF_RESULTS = ("differs", "baked")
_OF_EFFECTS = ("lost-output", _LOST_CHANGE, "left-behind")

_CHECKS: dict[Promise, Callable[[_Case], Failure | None]] = {
    Promise.FULLGRAPH: _fullgraph,
    Promise.EXPORT: _exported(Target.EXPORT_NONSTRICT),
    Promise.EXPORT_STRICT: _exported(Target.EXPORT_STRICT),
    Promise.REPLAYS: _without(_OF_RESULTS),
    Promise.NO_LOST_EFFECTS: _without(_OF_EFFECTS),
    Promise.PORTABLE: _portable,
    Promise.DYNAMIC: _dynamic,
    Promise.MAX_BREAKS: _max_breaks,
    Promise.MAX_RECOMPILES: _max_recompiles,
}
