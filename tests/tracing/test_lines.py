"""Which lines ran in eager, and which lines a tracer passed."""

from __future__ import annotations

import pytest
from tracing_support import lines, result, session, snippet


def traced(name: str, target: str, key: str = "traced") -> set[str]:
    """The stripped text of the traced lines."""
    text = snippet(name).source.splitlines()
    return {text[number - 1].partition("  # ")[0].strip() for number in lines(name, result(name, target)[key])}


def test_eager_lists_the_lines_that_ran() -> None:
    answer = result("not_taken", "eager")
    ran = lines("not_taken", answer["executed"])
    assert (answer["ok"], answer["error"]) == (True, None)
    assert ran == [snippet("not_taken").line(text) for text in ("if flag:", "return x + 1")]


def test_eager_reports_what_the_call_raised() -> None:
    answer = result("leaves", "eager")
    assert (answer["ok"], answer["error"]) == (False, "SystemExit: enough")
    assert snippet("leaves").line("y = x + 1") in lines("leaves", answer["executed"])


@pytest.mark.parametrize("target", ["compile", "fullgraph", "export-strict", "export-nonstrict"])
def test_only_the_side_taken_is_traced(target: str) -> None:
    assert {"if self.training:", "y = y + 1", "return y.relu()"} <= traced("clean", target)
    assert "y = y - 1" not in traced("clean", target)


def test_code_after_a_break_is_traced_when_the_frame_is_resumed() -> None:
    assert {'print("one")', "x = x + 2", 'print("two")', "return x + 3"} <= traced("two_prints", "compile")
    assert traced("two_prints", "compile", "abandoned") == set()


def test_code_after_a_break_is_not_traced_when_the_frame_is_skipped() -> None:
    passed = traced("loop", "compile")
    assert {"y = x.sin()", "y = y + 1", 'print("in a loop")'} <= passed
    assert not passed & {"y = y * 2", "return y.cos()"}
    assert traced("loop", "compile", "abandoned") == passed


def test_code_after_a_break_is_not_traced_when_the_rest_is_skipped() -> None:
    passed = traced("rest_of_function", "compile")
    assert {"y = x + 1", "y = y * 2", "raise ValueError(y.sum().item())"} <= passed
    assert not passed & {"y = y + 3", "return y"}
    assert traced("rest_of_function", "compile", "abandoned") == {"raise ValueError(y.sum().item())"}


def test_inlined_functions_are_traced() -> None:
    assert {"y = x + 2", "return self.inner(x) + 1"} <= traced("inlined", "export-strict")
    assert {"y = x + 2", "return y"} <= traced("inlined", "compile")


@pytest.mark.parametrize("target", ["fullgraph", "export-strict", "export-nonstrict"])
def test_a_refused_trace_ends_at_the_refusal(target: str) -> None:
    passed = traced("branch", target)
    assert {"y = x + 1", "if y.sum() > 0:"} <= passed
    assert not passed & {"y = y * 2", "return y - 1"}


def test_second_call_is_traced_too() -> None:
    assert 'print("not the first call")' in traced("second_call", "compile")
    assert 'print("not the first call")' not in traced("second_call", "fullgraph")


def test_frame_with_nothing_to_compile_is_not_abandoned() -> None:
    assert "return picked.sum(), longest" in traced("after_call_over_lines", "compile")
    assert traced("print_first", "compile", "abandoned") == set()


def test_grad_mode_of_the_caller_holds() -> None:
    assert 'print("with grad")' not in traced("without_grad", "compile")
    assert "if torch.is_grad_enabled():" in traced("without_grad", "compile")


def test_package_stands_alone_and_imports_torch_late() -> None:
    about = session()
    assert (about["alone"], about["late"], about["threads"]) == (True, True, 1)
