"""What is printed of sizes that vary."""

from __future__ import annotations

from typing import Any

from flake8_torchtrace.reasons.show_sizes import text

STACK = [{"path": "/somewhere/net.py", "line": 7, "function": "forward", "column": 4, "end_column": 9}]
FIXED = {
    "input": "x", "dim": 0, "size": 4, "state": "specialised", "name": None, "expression": None, "lower": 4, "upper": 4, "told": None,
    "cause": {"text": "x.shape[0] == 4", "stack": STACK}, "accepts": [8], "refuses": [],
}  # fmt: skip
DIMS = [
    FIXED,
    {**FIXED, "dim": 1, "size": 6, "accepts": [], "refuses": [12, 7]},
    {**FIXED, "dim": 2, "size": 1, "cause": None, "told": "0/1 specialized"},
    {**FIXED, "dim": 3, "state": "symbolic", "expression": "x.shape[3]", "lower": 2, "upper": None},
    {**FIXED, "input": "y", "state": "symbolic", "expression": "2*x.shape[3]", "lower": 4, "upper": 8},
    {**FIXED, "input": "y", "dim": 1, "state": "static"},
]
REPLAY = {"place": "min", "sizes": {"x.shape[3]": 2}, "effect": "same", "accepted": True, "why": None, "cause": None}


def export(**parts: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {"status": "ok", "why": None, "observations": [], "dims": [], "guards": [], "violated": [], "replays": []}
    return {"entry": None, "export": {**empty, **parts}, "compile": None}


def shown(report: dict[str, Any], kind: str = "open") -> list[str]:
    first, *lines = text({kind: {"export-strict": report}})
    assert first == f"sizes {'left open' if kind == 'open' else 'as declared'}, export-strict:"
    return [line.removeprefix("  ") for line in lines]


def test_every_dimension() -> None:
    assert shown(export(dims=DIMS)) == [
        "x.shape[0]: fixed at 4 by x.shape[0] == 4 at net.py:7 forward; the module takes 8; nobody is told",
        "x.shape[1]: fixed at 6 by x.shape[0] == 4 at net.py:7 forward; the module takes none of 12, 7",
        "x.shape[2]: fixed at 1, since 0 and 1 always are; the module takes 8; torch says: 0/1 specialized",
        "x.shape[3]: stays open, 2 and more",
        "y.shape[0]: stays open as 2*x.shape[3], 4 to 8",
        "y.shape[1]: 4, not asked to vary",
    ]


def test_a_refusal_and_what_is_not_kept() -> None:
    refusal = [{"reason": "Constraints violated (b)!\nmore"}]
    cause = {"text": "x.shape[0] <= 6", "stack": []}
    assert shown(export(status="refused", observations=refusal, violated=[cause]), "declared") == [
        "refused: Constraints violated (b)!",
        "not kept: x.shape[0] <= 6, torch does not say where",
    ]


def test_calls_with_other_sizes() -> None:
    replays = [REPLAY, {**REPLAY, "place": "above", "effect": "eager-refuses"}, {**REPLAY, "effect": "refused", "accepted": False}]
    assert shown(export(replays=replays)) == [
        "x.shape[3] = 2 (min): as the module",
        "x.shape[3] = 2 (above): the module does not take it, and the program does",
        "x.shape[3] = 2 (min): refused, and the module takes it",
    ]


def test_what_could_not_be_asked() -> None:
    assert shown({"problem": "took too long"}) == ["could not be asked: took too long"]
    assert shown(export(status="missing", why="no Dim.AUTO")) == ["could not be asked: no Dim.AUTO"]


def test_a_compiled_module() -> None:
    calls = [{"sizes": {"x.shape[0]": size}, "compiled": compiled} for size, compiled in ((4, 1), (8, 1), (5, 0))]
    causes = [{"text": "is fixed", "stack": STACK}]
    sequence = {"varied": ["x.shape[0]", "y.shape[0]"], "calls": calls, "limit": 8, "hit_limit": True, "causes": causes}
    assert shown({"entry": None, "export": None, "compile": [sequence]}) == [
        "x.shape[0], y.shape[0]: 4 compiled, 8 compiled, 5 not; is fixed at net.py:7 forward; the limit of 8 was reached"
    ]
    assert shown({"entry": None, "export": None, "compile": []}) == ["the module takes no other size"]
