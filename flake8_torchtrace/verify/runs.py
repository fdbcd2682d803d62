"""Runs that were asked for, each done once in a session, by as few processes as can do them without one changing another."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterable
from typing import Any

from .child import Child
from .known import Known, known_of, with_known
from .rounds import Place, pursued
from .tasks import Reply, Spec, watcher
from .touched import Digests, merged
from .unit import what_is_left

_TOGETHER_FROM = (2, 13)  # torch 2.2 exports differently what it has compiled before, even after a reset


class Runs:
    """``fork`` starts a child; ``jobs`` may run at once, each with ``timeout`` seconds for every answer."""

    def __init__(self, fork: Callable[[Spec], Child], jobs: int, timeout: float) -> None:
        self._fork = fork
        self._slots = asyncio.Semaphore(jobs)
        self._timeout = timeout
        self._replies: dict[str, asyncio.Future[Reply]] = {}

    async def run(self, spec: Spec, limit: float | None = None) -> Reply:
        """The reply of a child to ``spec`` within ``limit`` seconds; asked again, the same reply."""
        key = _key(spec)
        if key not in self._replies:
            self._replies[key] = asyncio.ensure_future(self._one(spec, limit or self._timeout))
        return await asyncio.shield(self._replies[key])

    async def run_unit(self, unit: dict[str, Any], targets: Iterable[str], path: str, lines: list[int], replays: bool = False) -> list[Reply]:
        """The eager call of ``unit`` and, if it does not fail, each of ``targets``, pursued for ``lines`` of ``path``.

        Values of targets are those of a `rounds.Pursuit`. With ``replays`` there is a last reply: what the exports lose that were accepted.
        """
        stages = [{"do": "eager", "unit": unit}, *({"do": "target", "target": target, "unit": unit} for target in targets)]
        stages += [{"do": "replay", "unit": unit}] if replays else []
        asked = [{**stage, "lines": lines} if stage["do"] == "target" else stage for stage in stages]
        spec = {"do": "unit", "unit": unit, "path": path, "stages": asked}
        key = _key(spec)
        if key not in self._replies:
            if _key(stages[0]) in self._replies:  # for another file
                return await self._each(stages, path, lines)
            self._replies[key] = asyncio.ensure_future(self._unit(spec, stages))
        replies: list[Reply] = (await asyncio.shield(self._replies[key]))["replies"]
        return replies

    async def _each(self, stages: list[Spec], path: str, lines: list[int]) -> list[Reply]:
        eager = await self.run(stages[0])
        if not eager["ok"] or not eager["value"]["ok"]:
            return [eager]
        executed = _executed(eager, path)
        targets = [stage for stage in stages if stage["do"] == "target"]
        firsts = await asyncio.gather(*map(self.run, targets))
        further = (self._pursued(stage, first, path, executed, lines) for stage, first in zip(targets, firsts, strict=True))
        replies = [eager, *await asyncio.gather(*further)]
        known = known_of(zip(stages, [eager, *firsts], strict=False))
        return [*replies, *[await self._replay(stage, known) for stage in stages if stage["do"] == "replay"]]

    async def _replay(self, stage: Spec, known: Known) -> Reply:
        """The reply to ``stage``, which needs what is ``known`` and is known itself by less."""
        key = _key(stage)
        if key not in self._replies:
            self._replies[key] = asyncio.ensure_future(self._one(with_known(stage, known), self._timeout))
        return await asyncio.shield(self._replies[key])

    async def _pursued(self, stage: Spec, reply: Reply, path: str, executed: list[int], lines: list[int]) -> Reply:
        if not reply["ok"] or reply["value"].get("is_pursued"):
            return reply
        touched: list[Digests | None] = [reply.get("touched")]

        async def run(places: list[Place]) -> Reply:
            further = await self.run({**stage, "around": places})
            touched.append(further.get("touched"))
            return further

        result = await pursued(reply["value"], run, watcher(stage["unit"]), what_is_left(path, executed, lines))
        return {"ok": True, "value": result, "touched": merged(touched)}

    async def _unit(self, spec: Spec, plain: list[Spec]) -> Reply:
        known = [asyncio.get_running_loop().create_future() for _ in plain]
        self._replies.update({_key(stage): future for stage, future in zip(plain, known, strict=True)})
        done = await self._stages(spec)
        for future, (first, _) in zip(known, done, strict=False):
            future.set_result(first)
        for future in known[len(done) :]:
            future.set_result({"ok": False, "reason": "the eager call failed"})
        replies = [reply for _, reply in done]
        executed = _executed(replies[0], spec["path"])

        async def further(stage: Spec, asked: Spec, reply: Reply) -> Reply:
            return await self._pursued(stage, reply, spec["path"], executed, asked["lines"]) if "lines" in asked else reply

        return {"replies": await asyncio.gather(*map(further, plain, spec["stages"], replies))}

    async def _stages(self, spec: Spec) -> list[tuple[Reply, Reply]]:
        """For each stage its first reply, and that with what was pursued. Only the first if the eager call fails."""
        done: list[tuple[Reply, Reply]] = []
        touched: list[Digests | None] = []
        is_apart = _version() < _TOGETHER_FROM
        while len(done) < len(spec["stages"]):
            left = spec["stages"][len(done) :]
            known = known_of(zip(spec["stages"], (first for first, _ in done), strict=False))
            told, failure, part = await self._told({**spec, "stages": left, "apart": is_apart, "known": known})
            touched.append(part)
            done += told
            if not told and failure is not None:
                done.append((failure, failure))
            if not told and failure is None:
                raise RuntimeError("a child did nothing")
            if len(done) == 1 and not (done[0][0]["ok"] and done[0][0]["value"]["ok"]):
                break
            is_apart = True
        together = merged(touched)
        return [({**first, "touched": together}, {**reply, "touched": together}) for first, reply in done]

    async def _told(self, spec: Spec) -> tuple[list[tuple[Reply, Reply]], Reply | None, Digests | None]:
        """What one child did of ``spec``, how it failed if it did, and what it touched."""
        told: list[tuple[Reply, Reply]] = []
        begun: tuple[Reply, Reply] | None = None
        async with self._slots:
            child = self._fork(spec)
            try:
                while True:
                    message = await child.message(self._timeout)
                    if "round" in message:
                        begun = message["round"]["first"], message["round"]["reply"]
                    elif "stage" in message:
                        told.append((message["stage"]["first"], message["stage"]["reply"]))
                        begun = None
                    elif "touched" in message:
                        return told, None, message["touched"]
                    else:
                        return [*told, begun] if begun else told, message, None
            finally:
                child.kill()

    async def _one(self, spec: Spec, limit: float) -> Reply:
        async with self._slots:
            return await self._fork(spec).reply(limit)


def _key(spec: Spec) -> str:
    return json.dumps(spec, sort_keys=True)


def _executed(eager: Reply, path: str) -> list[int]:
    return list(eager["value"]["executed"].get(path, ())) if eager["ok"] else []


def _version() -> tuple[int, ...]:
    text = str(getattr(sys.modules["torch"], "__version__", ""))
    return tuple(int(part) for part in text.split(".")[:2] if part.isdigit())


