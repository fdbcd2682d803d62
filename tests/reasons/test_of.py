"""``torchtrace reasons --of``: frames, graphs, guards and what each break costs, as the installed torch makes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.cli import main

pytest.importorskip("torch")

FILE = Path(__file__).parent / "modules" / "accounted.py"


@pytest.fixture(scope="module")
def accounts() -> dict[str, dict[str, Any]]:
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["reasons", "--of", str(FILE), "--format", "json"]) == 0
    return {item["module"]: item for item in json.loads(out.getvalue())}


def lines(item: dict[str, Any]) -> list[int]:
    return [found["stack"][-1]["line"] for found in item["compile"]["breaks"]]


def line_of(text: str, after: str) -> int:
    source = FILE.read_text().splitlines()
    start = source.index(f"class {after}(nn.Module):")
    return next(number for number, line in enumerate(source[start:], start + 1) if line.strip() == text)


def test_two_prints_make_three_of_everything(accounts: dict[str, dict[str, Any]]) -> None:
    compiled = accounts["TwoPrints"]["compile"]
    assert [frame["graphs"] for frame in compiled["frames"]] == [[1], [1], [1]]
    assert [frame["crossing"] for frame in compiled["frames"]] == [[], ["y"], ["z"]]
    tensors = [[guard["on"] for guard in frame["guards"] if guard["kind"] == "TENSOR_MATCH"] for frame in compiled["frames"]]
    assert tensors == [["L['x']"], ["L['y']"], ["L['z']"]]
    assert sorted(found["crossing"] for found in compiled["breaks"]) == [["y"], ["z"]]
    assert list(compiled["by_reason"].values()) == [2]
    assert (compiled["explain"], compiled["counter"], compiled["differences"]) == (2, 2, [])


def test_break_before_any_operator_is_no_break_to_explain(accounts: dict[str, dict[str, Any]]) -> None:
    compiled = accounts["PrintFirst"]["compile"]
    assert len(compiled["breaks"]) == 1
    assert compiled["explain"] == 0
    (difference,) = compiled["differences"]
    assert "counts 0, not 1" in difference
    assert "1 frame had no operator in it" in difference


def test_break_in_a_loop_loses_the_frame(accounts: dict[str, dict[str, Any]]) -> None:
    compiled = accounts["Loop"]["compile"]
    (found,) = compiled["breaks"]
    assert found["cost"] == "whole frame skipped: graph break in a loop"
    assert compiled["graphs"] == 0
    assert any("counts -1, not 1" in sentence for sentence in compiled["differences"])
    assert any("leaves out frames given up" in sentence for sentence in compiled["differences"])


def test_branch_on_data_is_not_in_the_counter(accounts: dict[str, dict[str, Any]]) -> None:
    compiled = accounts["Branch"]["compile"]
    assert lines(accounts["Branch"]) == [line_of("if y.sum() > 0:", "Branch")]
    assert compiled["counter"] == 0
    assert compiled["breaks"][0]["crossing"] == ["y"]
    assert any("leaves out branches on data" in sentence for sentence in compiled["differences"])


def test_break_in_a_callee_splits_both_functions_and_counts_once(accounts: dict[str, dict[str, Any]]) -> None:
    compiled = accounts["InCallee"]["compile"]
    (found,) = compiled["breaks"]
    assert [frame["function"] for frame in found["stack"]] == ["forward", "helper"]
    assert {"kept", "made"} <= set(found["crossing"])
    assert [frame["function"] for frame in compiled["frames"]] == ["forward", "helper", "helper", "forward"]


def test_recompiles_are_counted(accounts: dict[str, dict[str, Any]]) -> None:
    assert accounts["Grows"]["compile"]["recompiles"] >= 1
    assert accounts["TwoPrints"]["compile"]["recompiles"] == 0


def test_refusal_says_which_tracer_spoke_and_what_it_named(accounts: dict[str, dict[str, Any]]) -> None:
    targets = accounts["Branch"]["targets"]
    (strict,) = targets["export-strict"]["refusals"]
    (nonstrict,) = targets["export-nonstrict"]["refusals"]
    assert (strict["tracer"], nonstrict["tracer"]) == ("dynamo", "fake tensor")
    assert nonstrict["subject"] == "Eq(u0, 1)"
    assert "no whole-graph meaning" in strict["prospect"]
    printed = accounts["TwoPrints"]["targets"]["fullgraph"]["refusals"]
    assert [found["prospect"] for found in printed] == ["only this version of torch has no rule for it"] * 2


def test_text_tells_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reasons", "--of", f"{FILE}:TwoPrints"]) == 0
    out = capsys.readouterr().out
    assert "compile: 2 breaks, 3 frames, 3 graphs of 1 + 1 + 1 operators" in out
    assert "guarded intermediate values: z" in out
    assert "Branch" not in out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--of", "nowhere.py:Net"], "there is no file nowhere.py"),
        (["--of", f"{FILE}:Nowhere"], "there is no class Nowhere"),
        (["--of", str(FILE), "--record"], "--record is for the examples"),
        (["--recipes", str(FILE)], "--recipes goes with --of"),
        (["--of", str(FILE), "--recipes", "none.py"], "there is no file none.py"),
    ],
)
def test_mistakes_are_told(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reasons", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_file_without_inputs_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "net.py"
    file.write_text("class Net:\n    pass\n")
    assert main(["reasons", "--of", f"{file}:Net"]) == 2
    assert "no inputs for Net" in capsys.readouterr().err
