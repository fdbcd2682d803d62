"""Which classes inputs are made for, and what becomes of the answers. No torch."""

from __future__ import annotations

import asyncio
from typing import Any

from flake8_torchtrace.verify.synthesised import further, synthesised

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
        return {"ok": True, "value": {"subject": subject, "source": f"source of {subject}", "used": "x = float32[2]", "reason": "", "draft": "kept"}}

    failed = ({"kind": "examples", "path": PATH, "class": "Failed"}, {"ok": False, "reason": "a mistake in example_inputs()"})
    synthesis = {"owned": OWNED, "seconds": 5.0}
    units, failures = asyncio.run(synthesised(PATH, synthesis, [ran("Served", [2, 3]), failed], run))
    assert asked == ["Alone", "Inner", "Never"]  # a mistake in declared inputs is told, not passed over
    assert units == [
        {
            "kind": "synthesised", "path": PATH, "class": "Alone", "source": "source of Alone", "used": "synthesised: x = float32[2]",
            "draft": "kept", "serves": ["Alone", "Inner"],
        },
    ]  # what runs both is run once
    assert [(run["subject"], run["reason"]) for run in failures] == [("Never", "the code under test took longer than the limit of 5 s")]


def test_more_where_the_first_do_not_come_to_a_finding() -> None:
    asked = []

    async def run(spec: dict[str, Any]) -> dict[str, Any]:
        asked.append((spec["class"], spec["missing"]))
        if spec["class"] == "Hangs":
            return {"ok": False, "reason": "the code under test took longer than the limit of 5 s"}
        return {"ok": True, "value": [{"source": "other source", "used": "x = float32[2]; in training mode"}]}

    def made(name: str, lines: list[int], ok: bool = True) -> tuple[dict[str, Any], dict[str, Any]]:
        unit = {"kind": "synthesised", "path": PATH, "class": name, "source": name, "used": "", "draft": "kept", "serves": [name]}
        return unit, {"ok": True, "value": {"name": name, "ok": ok, "executed": {PATH: lines}}}

    lines = {"Alone": [[10, 10], [12, 12]], "Whole": [[21, 22]], "Hangs": [[31, 31]], "Fails": [[41, 41]]}
    eagers = [made("Alone", [10, 11]), made("Whole", [22]), made("Hangs", [30]), made("Fails", [40], ok=False)]
    units = asyncio.run(further(PATH, {"lines": lines, "seconds": 5.0}, eagers, run))
    assert asked == [("Alone", [[12, 12]]), ("Hangs", [[31, 31]])]
    assert units == [
        {
            "kind": "synthesised", "path": PATH, "class": "Alone", "source": "other source", "adds": True,
            "used": "synthesised: x = float32[2]; in training mode",
        },
    ]  # fmt: skip
