"""Every break, refusal and crash is observed once, at its line, with its family."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from snippet import Snippet
from tracing_support import SNIPPETS, expected, observed, only, path, result, script, snippet

CASES = [pytest.param(one, target, id=f"{one.name}-{target}") for one in SNIPPETS for target in one.targets]


@pytest.mark.parametrize(("one", "target"), CASES)
def test_each_break_is_observed_once_where_it_is(one: Snippet, target: str) -> None:
    assert observed(one.name, target) == expected(one, target)


@pytest.mark.parametrize(
    ("name", "target", "status"),
    [
        ("clean", "compile", "ok"),
        ("clean", "export-nonstrict", "ok"),
        ("branch", "compile", "broke"),
        ("branch", "fullgraph", "refused"),
        ("branch", "export-strict", "refused"),
        ("loop", "compile", "broke"),
        ("print_first", "export-strict", "ok"),
        ("no_tensors", "compile", "ok"),
        ("compile_raises", "compile", "crashed"),
        ("compile_raises", "export-nonstrict", "ok"),
        ("input_not_exportable", "compile", "ok"),
        ("input_not_exportable", "export-strict", "unusable"),
        ("input_not_exportable", "export-nonstrict", "unusable"),
    ],
)
def test_status(name: str, target: str, status: str) -> None:
    assert result(name, target)["status"] == status


@pytest.mark.parametrize(
    ("name", "graphs", "frames", "ops"),
    [
        ("clean", 1, 1, 3),
        ("no_tensors", 0, 2, 0),
        ("print_first", 1, 2, 1),
        ("two_prints", 3, 3, 3),
        ("loop", 0, 1, 0),
    ],
)
def test_graphs_frames_and_operators_are_counted(name: str, graphs: int, frames: int, ops: int) -> None:
    answer = result(name, "compile")
    assert (answer["graphs"], answer["frames"], answer["ops"]) == (graphs, frames, ops)


def test_accepted_export_counts_as_one_graph() -> None:
    for target in ("export-strict", "export-nonstrict"):
        answer = result("clean", target)
        assert (answer["graphs"], answer["ops"] > 0) == (1, True)


@pytest.mark.parametrize(
    ("name", "kind", "cost"),
    [
        ("branch", "break", None),
        ("loop", "skipped-frame", "whole frame skipped: graph break in a loop"),
        ("branch_in_loop", "skipped-frame", "whole frame skipped: graph break in a loop"),
        ("in_context_manager", "skipped-frame", "whole frame skipped: graph break in a context manager"),
        ("lock", "skipped-frame", "whole frame skipped: graph break in a context manager"),
        ("in_try", "skipped-frame", "whole frame skipped"),
        ("rest_of_function", "break", "rest of the function skipped"),
        ("compile_raises", "crash", "compile raises"),
    ],
)
def test_kind_and_cost(name: str, kind: str, cost: str | None) -> None:
    item = only(name, "compile")
    assert (item["kind"], item["cost"]) == (kind, cost)


@pytest.mark.parametrize(
    ("name", "target", "title", "gb_id", "exception"),
    [
        ("branch", "compile", "Data-dependent branching", "GB0170", "Unsupported"),
        ("branch_in_loop", "compile", "Data-dependent branching", "GB0170", "Unsupported"),
        ("loop", "compile", "Failed to trace builtin operator", "GB0059", "Unsupported"),
        ("lock", "fullgraph", "Unsupported context manager", "GB0142", "Unsupported"),
        ("identity_returned", "compile", "Reconstruction of FakeIdVariable", "GB4501", "Unsupported"),
        ("compile_raises", "compile", "RuntimeError when making fake tensor call", "GB4315", "TorchRuntimeError"),
        ("equal_shortcut", "export-nonstrict", "aten.equal.default", None, "DataDependentOutputException"),
    ],
)
def test_reason_is_that_of_the_original_break(
    name: str, target: str, title: str, gb_id: str | None, exception: str
) -> None:
    item = only(name, target)
    assert item["reason"].splitlines()[0] == title
    assert (item["gb_id"], item["exception"]) == (gb_id, exception)
    assert item["gb_type"] == (title if gb_id else None)


def test_guard_on_data_dependent_value_keeps_torchs_first_line() -> None:
    item = only("branch", "export-nonstrict")
    assert item["exception"] == "GuardOnDataDependentSymNode"
    assert item["reason"].startswith("Could not guard on data-dependent expression")


def functions(item: dict[str, Any]) -> list[str]:
    return [frame["function"] for frame in item["stack"]]


def test_inlined_break_keeps_the_whole_chain() -> None:
    item = only("inlined", "compile")
    assert functions(item) == ["forward", "outer", "inner"]
    assert [frame["line"] for frame in item["stack"]] == [
        snippet("inlined").line(text) for text in ("self.outer(x)", "self.inner(x) + 1", 'print("deep")')
    ]


def test_second_break_in_a_library_is_reached_from_the_users_line() -> None:
    for item in result("library_breaks_twice", "compile")["observations"]:
        assert functions(item) == ["forward", "noisy"]
        assert item["stack"][0]["path"] == path("library_breaks_twice")
        assert item["stack"][1]["path"].endswith("library.py")


def test_function_of_a_resumed_frame_has_its_own_name() -> None:
    assert [functions(item) for item in result("two_prints", "compile")["observations"]] == [["forward"], ["forward"]]


def test_stack_goes_on_into_the_standard_library() -> None:
    for target in ("compile", "export-strict"):
        stack = only("logger_in_forward", target)["stack"]
        assert stack[0]["path"] == path("logger_in_forward")
        assert stack[-1]["path"].replace("\\", "/").endswith("logging/__init__.py")


def test_columns_count_characters() -> None:
    text = snippet("two_on_a_line").source.splitlines()[snippet("two_on_a_line").line("x.max()") - 1]
    spans = [
        (item["stack"][-1]["column"], item["stack"][-1]["end_column"])
        for item in result("two_on_a_line", "compile")["observations"]
    ]
    if sys.version_info >= (3, 11):
        assert [text[start:end] for start, end in spans] == ["x.sum().item()", "x.max().item()"]
    else:
        assert spans == [(None, None), (None, None)]


def test_why_a_run_is_unusable_names_the_cause() -> None:
    why = result("input_not_exportable", "export-strict")["why"]
    assert why.startswith("export does not take these inputs (")
    assert "Options" in why


def test_failure_of_the_second_call_only_is_told_and_not_judged() -> None:
    answer = result("second_call_fails", "compile")
    assert (answer["status"], answer["why"]) == (
        "ok",
        "only the first call is judged: the second raised ValueError: once only",
    )


def test_mode_of_the_module_is_left_alone() -> None:
    assert result("clean", "compile")["training"] is True
    assert result("not_taken", "compile")["training"] is False


def test_unknown_target_is_a_mistake_of_the_caller() -> None:
    expectation = "unknown target 'inductor': expected one of compile, fullgraph, export-strict, export-nonstrict"
    assert script("unknown target") == expectation


def test_the_frame_of_a_generator_is_in_the_stack_where_it_goes_on_in_one_line() -> None:
    item = next(item for item in result("generator_in_one_line", "compile")["observations"] if item["family"] == "value")
    source = snippet("generator_in_one_line").source.splitlines()[item["stack"][-1]["line"] - 1]
    inner = item["stack"][-1]
    assert (inner["function"], source[inner["column"] : inner["end_column"]]) == ("<genexpr>", "bool(y.sum() > 0)")


@pytest.mark.parametrize(("one", "target"), CASES)
def test_no_stack_begins_with_frames_of_torch(one: Snippet, target: str) -> None:
    for item in result(one.name, target)["observations"]:
        assert "/site-packages/torch/" not in item["stack"][0]["path"]


def test_frames_of_torch_before_the_first_of_the_user_are_dropped() -> None:
    frames = script("frames of torch first")
    assert [(frame["path"].endswith(".py"), frame["function"]) for frame in frames[0]] == [(True, "forward"), (True, "relu")]
    assert [frame["function"] for frame in frames[1]] == ["relu"]
