"""The fixtures of promises: those that say so break, at the line that says so, and no others."""

from __future__ import annotations

from typing import Any

import pytest
from fixtures_support import FIXTURES
from ready_program import marked, ready

FOLDER = FIXTURES / "ready"


@pytest.fixture(scope="module")
def held() -> list[dict[str, Any]]:
    """What is said of every promise of the fixtures."""
    status, found = ready(FOLDER, "--no-store")
    assert status == 1
    return found


def test_what_breaks_and_where(held: list[dict[str, Any]]) -> None:
    broken = {(item["at"]["path"], item["at"]["line"], item["promise"]) for item in held if not item["kept"]}
    assert broken == marked(FOLDER)
    assert all(item["checked"] for item in held)


def test_each_kind_of_promise_is_kept_by_one_and_broken_by_another(held: list[dict[str, Any]]) -> None:
    words = {"fullgraph", "export", "export-strict", "max-breaks", "max-recompiles", "dynamic", "portable", "replays", "no-lost-effects"}
    for is_kept in (True, False):
        assert {item["promise"].partition("=")[0] for item in held if item["kept"] is is_kept} == words


def test_why(held: list[dict[str, Any]]) -> None:
    why = {(item["class"], item["promise"]): item["why"] for item in held}
    assert why["fullgraph.OnlyFirst", "fullgraph"] == "call 2: Failed to trace builtin operator (GB0059)"
    assert why["counted.TwoBreaks", "max-breaks=1"].startswith("2 graph breaks, at counted.py:21, counted.py:23; the most costly: Failed")
    assert why["counted.Counting", "max-recompiles=1"] == "3 recompiles in 4 calls, the last because this no longer held: self.calls == 2"
    assert why["conditions.OnlyEval", "fullgraph"].endswith("(with example_inputs() in conditions.py for OnlyEval in train mode)")
    assert why["conditions.OnlyFloat32", "export"].endswith("in float64)")
    assert why["conditions.OnlyBatches", "export-strict"].endswith("with batch 1)")
