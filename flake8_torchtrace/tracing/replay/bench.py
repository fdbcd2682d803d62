"""What export loses without a word: the module and its exported program over the same calls, on fresh modules.

Every part runs in a fork of its own, for what one leaves behind would change the next. The calls are made with inputs a, b, a: some
faults show from the second call on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

from ..paths import Watch
from ..shapes import Fault, Lines, ReplayResult
from . import leaves, state
from .apart import ApartError, apart
from .callers import Place
from .changes import places_of_changes
from .export import exported, nodes_of
from .guards import as_if_traced
from .locate import first_difference, values_of_call, values_of_program
from .outputs import outputs
from .outside import reads
from .state import Key
from .trail import trail

Build = Callable[[], tuple[Any, Sequence[Any], Mapping[str, Any]]]


class Calls(TypedDict):
    """What a sequence of calls did. ``changed``: per call, what it left changed; ``tensors``: buffers and parameters in the end.

    ``way``: the lines of the first call, in order; ``lines``: those of all calls.
    """

    results: list[list[Any]]
    errors: list[str | None]
    given: list[list[Any]]
    changed: list[list[Key]]
    tensors: dict[str, Any]
    way: list[Place]
    lines: set[Place]
    read: list[Any]


class Program(TypedDict):
    """A `Calls` of an exported program, with what its making left in the module and in globals."""

    calls: Calls
    left: list[Key]
    fakes: list[Key]
    nodes: list[tuple[str, Place | None]]


class Bench:
    """One module with its inputs. ``paths``: the files of which lines ran; their globals are watched."""

    def __init__(self, build: Build, is_watched: Callable[[str], bool], paths: Sequence[str]) -> None:
        self.build = build
        self.watch = Watch(is_watched)
        self.paths = paths
        self.plan = (False, True, False)

    def eager(self) -> Calls:
        """The calls on the module itself; with the inputs b left out if it cannot take them."""
        found = apart(lambda: self._calls(*self.build()))
        if any(found["errors"]):
            self.plan = (False, False, False)
            found = apart(lambda: self._calls(*self.build()))
        return found

    def program(self, target: str) -> Program:
        """The calls on the exported program. Raises ApartError if it is refused."""
        return apart(lambda: self._program(target))

    def places(self, keys: Sequence[Key]) -> dict[Key, list[Place]]:
        """The lines of the module's code that change ``keys``."""

        def run() -> dict[Key, list[Place]]:
            module, args, kwargs = self.build()
            modules = state.modules_of(self.paths)
            found: dict[Key, list[Place]] = {key: [] for key in keys}
            for is_other in self.plan:
                given = leaves.copied(args, kwargs, is_other)
                leaves.seed()
                new = places_of_changes(lambda: module(*given[0], **given[1]), keys, lambda key: state.probe(key, module, modules), self.watch)  # noqa: B023
                for key, places in new.items():
                    found[key] += [place for place in places if place not in found[key]]
            return found

        return apart(run)

    def as_if_traced(self) -> Calls | None:
        """The calls of the module where its code is told that it is being traced; None if it fails then."""

        def run() -> Calls:
            with as_if_traced():
                return self._calls(*self.build())

        try:
            found = apart(run)
        except ApartError:
            return None
        return None if any(found["errors"]) else found

    def difference(self, target: str, number: int) -> Place | None:
        """The line where call ``number`` of the program goes another way than the module's code."""

        def run_eager() -> Any:
            module, args, kwargs = self.build()
            return values_of_call(self._last_call(module, args, kwargs, number), self.watch)

        def run_program() -> Any:
            module, args, kwargs = self.build()
            leaves.seed()
            program = exported(target, module, *leaves.copied(args, kwargs)).module()
            self._last_call(program, args, kwargs, number)
            return values_of_program(program, *leaves.copied(args, kwargs, self.plan[number]), self.watch)

        eager = apart(run_eager)
        values, failed = apart(run_program)
        return failed or first_difference(eager, values)

    def _last_call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], number: int) -> Callable[[], object]:
        """Call ``number``, once those before it have been made."""
        for is_other in self.plan[:number]:
            given = leaves.copied(args, kwargs, is_other)
            leaves.seed()
            function(*given[0], **given[1])
        last = leaves.copied(args, kwargs, self.plan[number])
        leaves.seed()
        return lambda: function(*last[0], **last[1])

    def _program(self, target: str) -> Program:
        module, args, kwargs = self.build()
        modules = state.modules_of(self.paths)
        before = state.snapshot(module, modules)
        leaves.seed()
        program = exported(target, module, *leaves.copied(args, kwargs))
        after = state.snapshot(module, modules)
        left = [key for key in state.changed(before, after) if key[0] != "generator"]
        fakes = [key for key in left if state.holds_fake(after.get(key))]
        nodes = nodes_of(program, self.watch)
        return {"calls": self._calls(program.module(), args, kwargs), "left": left, "fakes": fakes, "nodes": nodes}

    def _calls(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Calls:
        modules = state.modules_of(self.paths)
        found: Calls = {"results": [], "errors": [], "given": [], "changed": [], "tensors": {}, "way": [], "lines": set(), "read": []}
        for is_other in self.plan:
            given = leaves.copied(args, kwargs, is_other)
            leaves.seed()
            before = state.snapshot(function, modules)
            with outputs(self.watch) as written, reads(self.watch) as read, trail(self.watch) as way:
                result, error = _attempt(function, *given)
            found["changed"].append(state.changed(before, state.snapshot(function, modules)))
            found["results"].append([*leaves.flat(result), *leaves.flat(given)])
            found["errors"].append(error)
            found["given"].append(list(written))
            found["way"] = found["way"] or way
            found["lines"].update(way)
            found["read"] += [item for item in read if item not in found["read"]]
        if hasattr(function, "named_parameters"):
            named = (*function.named_parameters(), *function.named_buffers())
            found["tensors"] = {name: leaves.flat(value) for name, value in named}
        return found


def _attempt(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, str | None]:
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"


def text_of(path: str) -> str:
    """The source of a file, as far as it can be read."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def replay(targets: Sequence[str], build: Build, is_watched: Callable[[str], bool], executed: Lines, traced: Mapping[str, Lines]) -> ReplayResult:
    """See ``flake8_torchtrace.tracing.replay``."""
    from .judge import Judge

    bench = Bench(build, is_watched, list(executed))
    try:
        eager = bench.eager()
    except ApartError as error:
        return {"faults": {}, "problems": dict.fromkeys(targets, f"the module itself: {error}")}
    faults: dict[str, list[Fault]] = {}
    problems: dict[str, str] = {}
    guarded = bench.as_if_traced()
    for target in targets:
        try:
            faults[target] = Judge(bench, target, eager, guarded, traced.get(target, {})).faults()
        except ApartError as error:
            problems[target] = str(error)
    return {"faults": faults, "problems": problems}
