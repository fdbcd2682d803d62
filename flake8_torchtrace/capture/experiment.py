"""One call of the running program under every target, each in a process of its own: forks of a fork, made at the call."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..inputs.mistakes import describe
from ..verify.rounds import all_refusals
from ..verify.tasks import Reply, Spec
from ..verify.touched import Touched, merged
from .calls import Live, leaves

Result = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """``timeout``: seconds for each of ``targets``; ``jobs``: how many at once; ``is_own``: whether a file (real path) is the project's."""

    targets: Sequence[str]
    timeout: float
    jobs: int
    is_own: Callable[[str], bool]


def experiment(call: Live, plan: Plan, private: int) -> bytes:
    """What became of ``call``, in JSON. For a forked copy of the program, which does nothing else. ``private``: a descriptor of its own."""
    try:
        _prepare(call, plan.targets)
        return json.dumps(asyncio.run(_experiment(call, plan, private))).encode()
    except BaseException as error:
        return json.dumps({"reason": f"the verification itself failed: {describe(error)}"}).encode()


async def _experiment(call: Live, plan: Plan, private: int) -> Result:
    from .pool import Pool

    touched: list[Any] = []
    pool = Pool(lambda spec: _perform(spec, call), plan.jobs, plan.timeout, private)

    async def run(spec: Spec) -> Reply:
        reply = await pool.run(spec)
        touched.append(reply.get("touched"))
        return reply

    eager = await run({"do": "eager"})
    if not eager["ok"]:
        return {"reason": eager["reason"]}
    value = eager["value"]
    if not value["ok"]:
        return {**value, "reason": f"eager call of {call.name} failed: {value['error']}", "touched": merged(touched)}
    executed = {path: set(lines) for path, lines in value["executed"].items() if plan.is_own(path)}

    def is_left(result: Result) -> bool:
        return any(not lines <= set(result["traced"].get(path, ())) for path, lines in executed.items())

    async def target(name: str) -> Reply:
        return await all_refusals({"do": "target", "target": name}, run, plan.is_own, is_left)

    replies = await asyncio.gather(*map(target, plan.targets))
    return {**value, "reason": None, "targets": dict(zip(plan.targets, replies, strict=True)), "touched": merged(touched)}


def _perform(spec: Spec, call: Live) -> Reply:
    from .effects import forbid

    touched = Touched()
    forbid()
    try:
        reply = {"ok": True, "value": _performed(spec, call)}
    except BaseException as error:
        reply = {"ok": False, "reason": f"the verification itself failed ({spec['do']}): {describe(error)}"}
    return {**reply, "touched": touched.result()}


def _performed(spec: Spec, call: Live) -> Any:
    from .. import tracing
    from ..inputs.recipes import source_files
    from ..verify.tasks import watcher

    watch = watcher({"kind": "recipe"})
    if spec["do"] == "eager":
        result = tracing.run_eager(call.module, call.args, call.kwargs, watch)
        return {**result, "files": source_files(getattr(call.module, "__self__", call.module))}
    if spec.get("around"):
        _pass_by(spec["around"], call)
    return tracing.run_target(spec["target"], call.module, call.args, call.kwargs, watch)


def _pass_by(places: Any, call: Live) -> None:
    from .. import tracing
    from .live_detour import copied, step_around

    other = copied(call)
    step_around(places)
    problem = tracing.remember(other.module, other.args, other.kwargs)
    if problem is not None:
        raise RuntimeError(problem)


def _prepare(call: Live, targets: Sequence[str]) -> None:
    """Make this process fit for forks, and import the tracers once: using them once too, as a server does, costs more than it saves."""
    import torch
    import torch._dynamo

    torch.set_num_threads(1)  # a pool of threads does not survive a fork: work that is handed to it would never end
    _own_storage(torch, call)
    if any(name.startswith("export") for name in targets):
        import torch.export._trace
    torch._dynamo.reset()
    asyncio.events._set_running_loop(None)


def _own_storage(torch: Any, call: Live) -> None:
    """Give what lies in memory shared with other processes a copy: this one must not write there."""
    module = getattr(call.module, "__self__", call.module)
    held: list[Any] = []
    if isinstance(module, torch.nn.Module):
        held = [*module.parameters(), *module.buffers()]
    for tensor in (*held, *leaves((call.args, call.kwargs))):
        with contextlib.suppress(RuntimeError, NotImplementedError):  # tensors of other kinds have no storage to share
            if tensor.is_shared():
                tensor.data = tensor.data.clone()
