"""From two sequences of calls to faults: what the exported program does not do, and the line that did it in the code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from ..shapes import Fault, Lines
from . import leaves, worlds
from .apart import ApartError, apart
from .bench import Bench, Calls, Program, text_of
from .callers import Place
from .state import Key
from .trail import fork_of, left_at, trail

LOST_OUTPUT, LOST_CHANGE, BAKED, LEFT_BEHIND, DIFFERS = "lost-output", "lost-change", "baked", "left-behind", "differs"
_MODE_OPS = ("dropout", "batch_norm", "rand", "bernoulli")
_KINDS = {
    "attribute": "attribute `{}`",
    "buffer": "buffer `{}`",
    "parameter": "parameter `{}`",
    "global": "global `{}`",
    "environment": "environment variable `{}`",
    "seed": "the seed of {}",
    "generator": "the generator of {}",
}


class Judge:
    """One target. ``guarded``: the calls of code that is told that it is being traced: what it leaves out then is left out on purpose.

    ``traced``: the lines that the tracer passed.
    """

    def __init__(self, bench: Bench, target: str, eager: Calls, guarded: Calls | None, traced: Lines) -> None:
        self.bench, self.target, self.eager, self.traced = bench, target, eager, traced
        self._guarded = guarded

    def faults(self) -> list[Fault]:
        """All faults, each once. Raises ApartError where an experiment gives no answer."""
        program = self.bench.program(self.target)
        lost = self._lost_keys(program)
        random = [key for call in self.eager["changed"] for key in call if key[0] == "generator"]
        places = self.bench.places(sorted({*lost, *program["fakes"], *random})) if lost or program["fakes"] or random else {}
        found = [
            *self._lost_outputs(program["calls"]),
            *self._lost_changes(program, lost, places),
            *self._left_behind(program, places),
            *self._baked(program, {key: places[key] for key in random}),
            *self._mode(program),
            *self._differs(program["calls"], lost, places),
        ]
        return _once([fault for fault in found if self._is_meant(fault)])

    def _is_meant(self, fault: Fault) -> bool:
        """Whether the line runs where the code knows that it is traced."""
        return self._guarded is None or Place(fault["path"], fault["line"], fault["function"]) in self._guarded["lines"]

    def _lost_outputs(self, program: Calls) -> Iterable[Fault]:
        kept = Counter((item.kind, item.text) for call in program["given"] for item in call)
        meant = None if self._guarded is None else {(item.kind, item.place) for call in self._guarded["given"] for item in call}
        seen: set[tuple[str, Place]] = set()
        for call in self.eager["given"]:
            for item in call:
                if meant is not None and (item.kind, item.place) not in meant:
                    continue
                if item.place is not None and (item.kind, item.place) not in seen and not kept[item.kind, item.text]:
                    seen.add((item.kind, item.place))
                    yield _fault(LOST_OUTPUT, item.place, item.kind, "lost at replay")

    def _lost_keys(self, program: Program) -> list[Key]:
        calls = program["calls"]
        kept = {key for call in calls["changed"] for key in call}
        meant = None if self._guarded is None else {key for call in self._guarded["changed"] for key in call}
        lost = []
        for key in dict.fromkeys(key for call in self.eager["changed"] for key in call):
            kind, name = key
            if meant is not None and key not in meant:
                continue
            if kind in ("buffer", "parameter"):
                is_lost = leaves.difference(self.eager["tensors"].get(name, []), calls["tensors"].get(name, [])) is not None
            else:
                is_lost = kind != "generator" and key not in kept
            if is_lost:
                lost.append(key)
        return lost

    def _lost_changes(self, program: Program, lost: list[Key], places: dict[Key, list[Place]]) -> Iterable[Fault]:
        number, how = self._first_difference(program["calls"])
        for key in lost:
            if key in program["fakes"] or (number is None and self._is_first_fill(key)):
                continue
            detail = "not changed at replay"
            if key in program["left"]:
                detail += ", but changed by the trace"
            if number is not None and _explains(key, number):
                detail += f"; from call {number + 1} on {how}"
            for place in places.get(key, ()):
                yield _fault(LOST_CHANGE, place, _named(key), detail)

    def _is_first_fill(self, key: Key) -> bool:
        """Whether the first call makes what all further ones use, as a cache does: without a difference nothing is lost with it."""
        calls = self.eager["changed"]
        return key[0] in ("attribute", "global") and key[1].rpartition(".")[2] != "training" and not any(key in call for call in calls[1:])

    def _left_behind(self, program: Program, places: dict[Key, list[Place]]) -> Iterable[Fault]:
        for key in program["fakes"]:
            for place in places.get(key, ()):
                yield _fault(LEFT_BEHIND, place, _named(key), "holds a fake tensor after the trace")

    def _baked(self, program: Program, random: dict[Key, list[Place]]) -> Iterable[Fault]:
        asked: list[tuple[str, list[Place], Callable[[Any], None]]] = []
        reads = self.eager["read"]
        for name in dict.fromkeys(read.name for read in reads if read.kind == "environment"):
            places = [read.place for read in reads if read.name == name]
            asked.append((f"environment variable `{name}`", places, worlds.other_variable(name)))
        asked += [("a random number", found, worlds.other_random) for found in random.values() if found]
        clocks = [read.place for read in reads if read.kind == "clock"]
        asked += [("the time", clocks, worlds.other_clock)] if clocks else []
        unstable = {text for text, _ in worlds.differing(program["nodes"], worlds.nodes_in(self.bench, self.target, worlds.same))} if asked else set()
        for what, places, change in asked:
            other = worlds.nodes_in(self.bench, self.target, change)
            found = worlds.differing(program["nodes"], other) if other else []
            if what != "the time":
                found = [node for node in found if node[0] not in unstable]
            if found:
                for place in _narrowed(places, [at for _, at in found]):
                    yield _fault(BAKED, place, what, "the value of the trace is a constant of the program")

    def _mode(self, program: Program) -> Iterable[Fault]:
        """Code that asks for ``self.training`` goes the way of the trace for good."""
        place = self.other_mode_leaves_at()
        if place is None:
            return
        nodes = worlds.nodes_in(self.bench, self.target, lambda module: module.train(not module.training))
        if nodes and _ops(nodes) != _ops(program["nodes"]):
            yield _fault(BAKED, place, "`training`", "the program is made for one mode")

    def other_mode_leaves_at(self) -> Place | None:
        """The line at which the module in the other mode goes another way; None if it does not."""
        if not any("training" in text_of(path) for path in self.bench.paths):
            return None

        def run() -> list[Place]:
            module, args, kwargs = self.bench.build()
            if not hasattr(module, "train"):
                return self.eager["way"]
            module.train(not module.training)
            given = leaves.copied(args, kwargs)
            leaves.seed()
            with trail(self.bench.watch) as way:
                module(*given[0], **given[1])
            return way

        try:
            return fork_of(self.eager["way"], apart(run))
        except ApartError:
            return None

    def _first_difference(self, program: Calls) -> tuple[int | None, str]:
        for number, error in enumerate(self.eager["errors"]):
            if error is not None:
                return None, ""
            if program["errors"][number] is not None:
                return number, f"the program raises {program['errors'][number]}"
            told = leaves.difference(self.eager["results"][number], program["results"][number])
            if told is not None:
                return number, f"the program gives {told}"
        return None, ""

    def _differs(self, program: Calls, lost: list[Key], places: dict[Key, list[Place]]) -> Iterable[Fault]:
        number, how = self._first_difference(program)
        if number is None or any(_explains(key, number) and places.get(key) for key in lost):
            return
        place = left_at(self.eager["way"], self.traced) if self.traced else None
        try:
            place = place or self.bench.difference(self.target, number)
        except ApartError:
            place = None
        place = place or (self.eager["way"][-1] if self.eager["way"] else None)
        if place is not None:
            yield _fault(DIFFERS, place, "", f"at call {number + 1} {how}")


def _once(faults: list[Fault]) -> list[Fault]:
    """One fault for each kind and line, with the subjects of all."""
    found: dict[tuple[str, str, int], Fault] = {}
    for fault in faults:
        known = found.setdefault((fault["kind"], fault["path"], fault["line"]), fault)
        if fault["subject"] not in known["subject"].split(", "):
            known["subject"] += f", {fault['subject']}"
    return list(found.values())


def _explains(key: Key, number: int) -> bool:
    """Whether a change that was lost may be why call ``number`` differs: on the first call only tensors and seeds are."""
    return number > 0 or key[0] in ("buffer", "parameter", "seed")


def _narrowed(places: list[Place], nodes: list[Place | None]) -> list[Place]:
    """The reads at the lines of the nodes that differ, or all of them."""
    lines = {(place.path, place.line) for place in nodes if place is not None}
    return [place for place in places if (place.path, place.line) in lines] or places


def _ops(nodes: list[worlds.Node]) -> Counter[str]:
    names = (text.split(" ", 2)[1] for text, _ in nodes if text.startswith("call_function"))
    return Counter(name for name in names if not any(word in name for word in _MODE_OPS))


def _named(key: Key) -> str:
    return _KINDS[key[0]].format(key[1])


def _fault(kind: str, place: Place, subject: str, detail: str) -> Fault:
    return {"kind": kind, "path": place.path, "line": place.line, "function": place.function, "subject": subject, "detail": detail}
