"""Whether an exported program is complete: saved by one child, loaded by another that has nothing of the code under test."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from typing import Any

from .tasks import Reply, Spec


async def portable(unit: dict[str, Any], run: Callable[[Spec], Awaitable[Reply]]) -> dict[str, Any]:
    """``error``: what is wrong with it, None if nothing is; ``problem``: why that is not known. ``foreign`` as in ``tracing.shapes.Saved``."""
    folder = tempfile.mkdtemp(prefix="torchtrace-program-")
    try:
        files = {"archive": os.path.join(folder, "program.pt2"), "call": os.path.join(folder, "call.pt")}
        saved = await run({"do": "save", "unit": unit, **files})
        if not saved["ok"]:
            return {"error": None, "problem": saved["reason"], "foreign": []}
        found = saved["value"]
        if found["error"] is not None:
            return {"error": found["error"], "problem": None, "foreign": found["foreign"]}
        loaded = await run({"do": "load", **files, "blocked": found["blocked"]})
        problem = None if loaded["ok"] else loaded["reason"]
        return {"error": loaded["value"]["error"] if loaded["ok"] else None, "problem": problem, "foreign": found["foreign"]}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
