"""Which runs a file needs: its own inputs, its classes' recipes, and others where those leave findings out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

from ..inputs.mistakes import shown
from ..inputs.variants import words
from .dynamic import dynamic_reports
from .portable import portable
from .replayed import replayed
from .runs import Runs
from .synthesised import further, synthesised
from .tasks import Reply, Spec

Unit = dict[str, Any]
Done = tuple[Unit, list[Reply]]


async def answer(request: dict[str, Any], runs: Runs, noted: Callable[..., None]) -> dict[str, Any]:
    """The ``runs`` that bear on ``request["path"]``, and sentences about what failed: ``problems`` and ``notes``.

    Every reply that this rests on is ``noted``.
    """
    return await _Answer(request, runs, noted).give()


class _Answer:
    def __init__(self, request: dict[str, Any], runs: Runs, noted: Callable[..., None]) -> None:
        self.path: str = request["path"]
        self.request = request
        self.runs = runs
        self.noted = noted
        self.problems: list[str] = []
        self.notes: list[str] = []

    async def run(self, spec: Spec) -> Reply:
        reply = await self.runs.run(spec)
        self.noted(reply)
        return reply

    async def give(self) -> dict[str, Any]:
        synthesis = self.request.get("synthesis") or {}
        done, failures = await self._synthesised(synthesis, []) if synthesis.get("first") else ([], [])
        if not done or self._never_entered([(unit, replies[0]) for unit, replies in done]):
            done += await self._declared()
        if synthesis and not synthesis.get("first"):
            more, failures = await self._synthesised(synthesis, done)
            done += more
        runs = await asyncio.gather(*(self._run(unit, replies) for unit, replies in done))
        return {"runs": [*runs, *failures], "problems": self.problems, "notes": self.notes}

    async def _synthesised(self, synthesis: dict[str, Any], done: list[Done]) -> tuple[list[Done], list[dict[str, Any]]]:
        """Runs with inputs from nothing for what ``done`` leaves out, and runs that say why there are none."""
        units, failures = await synthesised(self.path, synthesis, [(unit, replies[0]) for unit, replies in done], self.run)
        made = await self._units(self._varied(units))
        more = await further(self.path, synthesis, [(unit, replies[0]) for unit, replies in (*done, *made)], self.run)
        added = await self._units(self._varied(more))
        return [*made, *((unit, replies) for unit, replies in added if replies[0]["ok"] and replies[0]["value"]["ok"])], failures

    async def _declared(self) -> list[Done]:
        """Runs with the inputs that the file and the recipes declare."""
        recipes = await self._recipes()
        units = [*await self._own_units(), *(unit for unit, own in recipes if own)]
        done = await self._units(self._varied(filter(self._may_be_wanted, units)))
        missing = self._never_entered([(unit, replies[0]) for unit, replies in done])
        if missing:
            others = [pair for pair in await self._eagers([unit for unit, own in recipes if not own]) if self._runs_any(pair[1], missing)]
            done += await self._units([unit for unit, _ in others])
        return [(unit, replies) for unit, replies in done if self._concerns(unit, replies[0]) and self._is_wanted(unit, replies[0])]

    async def _units(self, units: list[Unit]) -> list[Done]:
        targets, lines, replays = self.request["targets"], list(self.request.get("lines", ())), bool(self.request.get("replay"))
        done = await asyncio.gather(*(self.runs.run_unit(unit, targets, self.path, lines, replays) for unit in units))
        for replies in done:
            self.noted(*replies)
        further = [more for unit, replies in zip(units, done, strict=True) for more in _further_sets(unit, replies[0])]
        return [*zip(units, done, strict=True), *(await self._units(further) if further else ())]

    def _may_be_wanted(self, unit: Unit) -> bool:
        """Whether the class is asked for, as far as that is known before it is built."""
        only = self.request.get("only")
        return only is None or unit["kind"] == "make" or _subject(unit, {}) == only

    def _is_wanted(self, unit: Unit, eager: Reply) -> bool:
        only = self.request.get("only")
        value = eager["value"] if eager["ok"] else {}
        return only is None or only in (value.get("name", only), _subject(unit, value))

    def _varied(self, units: Iterable[Unit]) -> list[Unit]:
        """Each unit in each variant that is asked for (``inputs.variants``). What is asked of one class is of all code that it runs."""
        variants = self.request.get("variants") or [{}]
        if self.request.get("only") is not None:
            units = [{**unit, "around": self.path} for unit in units]
        return [{**unit, "variant": variant} if variant else unit for unit in units for variant in variants]

    async def _own_units(self) -> list[Unit]:
        units: list[Unit] = []
        if self.request["make"]:
            units.append({"kind": "make", "path": self.path})
        if self.request["example_inputs"]:
            listed = await self.run({"do": "list-examples", "path": self.path, "owners": self.request["owners"]})
            if listed["ok"]:
                names, mistakes = listed["value"]
                units += [{"kind": "examples", "path": self.path, "class": name} for name in names]
                self.problems += mistakes
            else:
                self.problems.append(listed["reason"])
        candidates = [name for name in self.request.get("conventional", ()) if all(unit["class"] != name for unit in units)]
        if candidates:
            listed = await self.run({"do": "list-conventions", "path": self.path, "candidates": candidates, "owners": self.request["owners"]})
            if listed["ok"]:
                units += [{"kind": "convention", "path": self.path, "class": name} for name in listed["value"]]
            else:
                self.problems.append(listed["reason"])
        return units

    async def _recipes(self) -> list[tuple[Unit, bool]]:
        """Every recipe, with whether its class is defined in the file (a plain class name: may be)."""
        path = self.request["recipes"]
        if path is None:
            return []
        listed = await self.run({"do": "list-recipes", "path": path})
        if not listed["ok"]:
            self.problems.append(listed["reason"])
            return []
        found: list[tuple[Unit, bool]] = []
        unresolved: list[str] = []
        for recipe in listed["value"]:
            own = recipe["path"] == self.path or (not recipe["path"] and recipe["class_name"] in self.request["classes"])
            if recipe["mistake"]:
                (self.problems if own else unresolved).append(recipe["mistake"])
            else:
                found.append(({"kind": "recipe", "path": path, "key": recipe["key"]}, own))
        if unresolved:
            others = f" (and {len(unresolved) - 1} more recipes of that file)" if unresolved[1:] else ""
            self.notes.append(unresolved[0] + others)
        return found

    async def _eagers(self, units: list[Unit]) -> list[tuple[Unit, Reply]]:
        replies = await asyncio.gather(*(self.run({"do": "eager", "unit": unit}) for unit in units))
        return list(zip(units, replies, strict=True))

    def _never_entered(self, eagers: list[tuple[Unit, Reply]]) -> list[list[int]]:
        """The functions with findings, as first and last line, that no run entered."""
        lines = {line for _, eager in eagers for line in self._executed(eager)}
        return [span for span in self.request["functions"] if not any(span[0] <= line <= span[1] for line in lines)]

    def _runs_any(self, eager: Reply, functions: list[list[int]]) -> bool:
        return any(first <= line <= last for line in self._executed(eager) for first, last in functions)

    def _executed(self, eager: Reply) -> list[int]:
        return list(eager["value"]["executed"].get(self.path, ())) if eager["ok"] else []

    def _concerns(self, unit: Unit, eager: Reply) -> bool:
        """A recipe keyed by a plain class name may have built the class of that name from another file."""
        plain = unit["kind"] == "recipe" and "." not in unit["key"] and ":" not in unit["key"]
        return not plain or not eager["ok"] or self.path in eager["value"]["files"] or bool(self._executed(eager))

    async def _run(self, unit: Unit, replies: list[Reply]) -> dict[str, Any]:
        eager = replies[0]
        value = eager["value"] if eager["ok"] else {}
        run = {
            "label": _label(unit, value),
            "name": value.get("name", ""),
            "subject": _subject(unit, value),
            "reason": None if eager["ok"] else eager["reason"],
            "executed": self._executed(eager),
            "points": value.get("points", {}).get(self.path, []),
            "targets": {},
            **({"inputs": unit["used"], "kind": unit["kind"], "adds": unit.get("adds", False)} if unit["kind"] == "synthesised" else {}),
        }
        if eager["ok"] and not value["ok"]:
            run["reason"] = f"eager call of {value['name']} failed: {value['error']}"
        if run["reason"] is None:
            targets = self.request["targets"]
            results = dict(zip(targets, replies[1:], strict=False))
            run["targets"] = {target: self._result(reply) for target, reply in results.items()}
            run["repeats"] = await asyncio.gather(*(self._repeat(unit, repeat) for repeat in self.request.get("repeats", ())))
            is_declared, is_wanted = bool(value.get("dynamic_shapes")), bool(self.request.get("dynamic"))
            run["dynamic"] = await dynamic_reports(unit, targets, is_declared, is_wanted, self.run)
            if self.request.get("replay"):
                run["replayed"] = replayed(results, replies[-1])
            if self.request.get("portable"):
                run["portable"] = await portable(unit, self.run)
            if self.request.get("describe"):
                run["described"] = await self.run({"do": "describe", "unit": unit})
            if self.request.get("account"):
                run["account"] = await self.run({"do": "account", "unit": unit})
        return run

    async def _repeat(self, unit: Unit, repeat: dict[str, Any]) -> dict[str, Any]:
        reply = await self.run({"do": "repeat", "unit": unit, **repeat})
        return {**repeat, **(reply["value"] if reply["ok"] else {"status": "unusable", "why": reply["reason"]})}

    def _result(self, reply: Reply) -> dict[str, Any]:
        if not reply["ok"]:
            return {"status": "unusable", "why": reply["reason"], "graphs": 0, "observations": []}
        value = reply["value"]
        narrowed = {key: value[key].get(self.path, []) for key in ("traced", "abandoned", "points", "left_out")}
        return {**value, **narrowed}


def _subject(unit: Unit, value: dict[str, Any]) -> str:
    """The class that a run's inputs are for, as far as it is known before they are built."""
    if unit["kind"] in ("examples", "convention", "synthesised"):
        return str(unit["class"])
    if unit["kind"] == "recipe":
        return str(unit["key"]).replace(":", ".").rpartition(".")[2]
    return str(value.get("name", ""))


def _further_sets(unit: Unit, eager: Reply) -> list[Unit]:
    """The unit with each set of inputs but the first."""
    sets = eager["value"].get("sets", ()) if eager["ok"] and "set" not in unit else ()
    return [{**unit, "set": number} for number in range(1, len(sets))]


def _label(unit: Unit, value: dict[str, Any]) -> str:
    name = (*value.get("sets", ()), "")[unit.get("set", 0)] if value else ""
    inputs = f", inputs {name}" if name else ""
    return f"{_source(unit)}{inputs} {words(unit.get('variant', {}))}".rstrip()


def _source(unit: Unit) -> str:
    place = f"in {shown(unit['path'])}"
    if unit["kind"] == "make":
        return f"make() {place}"
    if unit["kind"] == "convention":
        return f"inputs by convention {place} for {unit['class']}"
    if unit["kind"] == "synthesised":
        return f"synthesised inputs for {unit['class']}"
    return f"example_inputs() {place} for {unit['class']}" if unit["kind"] == "examples" else f"recipe {unit['key']!r} {place}"
