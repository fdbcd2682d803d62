"""Which classes inputs are made for, and what becomes of the answers. No torch."""

from __future__ import annotations

import asyncio
from typing import Any

from flake8_torchtrace.verify.synthesised import synthesised

PATH = "/project/net.py"
OWNED = {"Served": [[1, 5]], "Failed": [[6, 9]], "Alone": [[10, 12]], "Inner": [[13, 15]], "Never": [[16, 19]]}


def ran(name: str, lines: list[int]) -> tuple[dict[str, Any], dict[str, Any]]:
    return {"kind": "make", "path": PATH}, {"ok": True, "value": {"name": name, "ok": True, "executed": {PATH: lines}}}


def test_for_what_nothing_declared_runs() -> None:
    asked = []

    async def run(spec: dict[str, Any]) -> dict[str, Any]:
        asked.append(spec["class"])
        if spec["class"] == "Never":
            return {"ok": False, "reason": "the code under test took longer than the limit of 5 s"}
        subject = "Alone" if spec["class"] == "Inner" else spec["class"]
        return {"ok": True, "value": {"subject": subject, "source": f"source of {subject}", "used": "x = float32[2]", "reason": ""}}

    failed = ({"kind": "examples", "path": PATH, "class": "Failed"}, {"ok": False, "reason": "a mistake in example_inputs()"})
    synthesis = {"owned": OWNED, "seconds": 5.0}
    units, failures = asyncio.run(synthesised(PATH, synthesis, [ran("Served", [2, 3]), failed], run))
    assert asked == ["Alone", "Inner", "Never"]  # a mistake in declared inputs is told, not passed over
    assert units == [
        {"kind": "synthesised", "path": PATH, "class": "Alone", "source": "source of Alone", "used": "synthesised: x = float32[2]"},
    ]  # what runs both is run once
    assert [(run["subject"], run["reason"]) for run in failures] == [("Never", "the code under test took longer than the limit of 5 s")]
