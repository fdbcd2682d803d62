"""What becomes of events that the installed torch may never send: those of older versions."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.tracing.lines import Passed
from flake8_torchtrace.tracing.observations import breaks
from flake8_torchtrace.tracing.paths import Watch
from flake8_torchtrace.tracing.recorder import FrameRun, Recorder
from flake8_torchtrace.tracing.refusals import refusal, why_unusable
from flake8_torchtrace.tracing.stacks import collapse, frame, from_text

HERE = str(Path(__file__).resolve())
WATCH = Watch(HERE.__eq__)
LOOP = "Skipping frame because there is a graph break in a for/while loop\n<FrameSummary>"


class Unsupported(RuntimeError):  # noqa: N818
    """Has what torch 2.2 gives its exception of that name."""

    def __init__(self, text: str, *lines: int, file: str = HERE) -> None:
        super().__init__(text)
        self.msg = text
        self.real_stack = [traceback.FrameSummary(file, line, "f", lookup_line=False) for line in lines]


class SkipFrame(RuntimeError):  # noqa: N818
    """A frame given up; carries a message only."""


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
def run(recorder: Recorder) -> FrameRun:
    return recorder.begin(test_break_in_a_loop_is_the_exception_it_was_raised_from.__code__, [], {})


def observed(recorder: Recorder) -> list[tuple[str, str, list[int]]]:
    """Kind, first line of the reason and lines of the stack of each observation."""
    return [
        (item["kind"], item["reason"].splitlines()[0], [entry["line"] for entry in item["stack"]])
        for item in breaks(recorder, WATCH)
    ]


def test_break_in_a_loop_is_the_exception_it_was_raised_from(recorder: Recorder, run: FrameRun) -> None:
    cause = Unsupported("call_function BuiltinVariable(print)", 7)
    recorder.raised(cause, None)
    recorder.raised(SkipFrame(LOOP), cause)
    recorder.end(run, "nothing")
    (item,) = breaks(recorder, WATCH)
    assert observed(recorder) == [("skipped-frame", "call_function BuiltinVariable(print)", [7])]
    assert item["cost"] == "whole frame skipped: graph break in a loop"


def test_branch_in_a_loop_has_no_exception_but_is_a_break(recorder: Recorder, run: FrameRun) -> None:
    recorder.raised(SkipFrame(LOOP), None)
    recorder.end(run, "nothing")
    (item,) = breaks(recorder, WATCH)
    assert (item["kind"], item["family"], item["exception"]) == ("skipped-frame", "value", "SkipFrame")


def test_frame_without_operators_is_nothing(recorder: Recorder, run: FrameRun) -> None:
    recorder.raised(SkipFrame("because no content in function call f x.py 3"), None)
    recorder.end(run, "nothing")
    assert observed(recorder) == []
    assert run.is_kept


def test_branch_on_a_tensor_is_split_without_an_exception(recorder: Recorder, run: FrameRun) -> None:
    recorder.split("generic_jump TensorVariable()", [traceback.FrameSummary(HERE, 9, "f", lookup_line=False)])
    recorder.end(run, "code")
    (item,) = breaks(recorder, WATCH)
    assert observed(recorder) == [("break", "generic_jump TensorVariable()", [9])]
    assert (item["family"], item["gb_id"]) == ("value", None)


def test_exception_that_dynamo_caught_is_no_break(recorder: Recorder, run: FrameRun) -> None:
    recorder.raised(Unsupported("Tensor.item", 3), None)
    recorder.end(run, "code")
    assert observed(recorder) == []


def test_error_reported_by_base_class_and_subclass_counts_once(recorder: Recorder, run: FrameRun) -> None:
    error = Unsupported("Tensor.item", 3)
    recorder.raised(error, None)
    recorder.raised(error, None)
    assert len(run.raised) == 1


def test_frame_split_and_then_given_up_for_the_same_break_counts_once(recorder: Recorder, run: FrameRun) -> None:
    error = Unsupported("Tensor.item", 3)
    recorder.raised(error, None)
    recorder.split("Tensor.item", error.real_stack)
    recorder.end(run, "raised", error)
    assert observed(recorder) == [("skipped-frame", "Tensor.item", [3])]


def test_error_dynamo_does_not_fall_back_on_is_a_crash(recorder: Recorder, run: FrameRun) -> None:
    recorder.end(run, "raised", KeyError("missing"))
    (item,) = breaks(recorder, WATCH)
    assert (item["kind"], item["exception"]) == ("crash", "KeyError")
    code = test_break_in_a_loop_is_the_exception_it_was_raised_from.__code__
    assert observed(recorder)[0][2] == [code.co_firstlineno]


def test_break_that_ended_the_compiled_call_is_a_crash(recorder: Recorder, run: FrameRun) -> None:
    error = Unsupported("hook", 3)
    recorder.end(run, "raised", error)
    assert [item["kind"] for item in breaks(recorder, WATCH, fatal=error)] == ["crash"]


def test_a_frame_given_up_without_a_stack_is_placed_at_the_line_that_was_interpreted(recorder: Recorder, run: FrameRun) -> None:
    for line in (5, 9):
        recorder.step(recorder, Passed(HERE, line))
    recorder.raised(SkipFrame(LOOP), None)
    recorder.end(run, "nothing")
    assert [lines for _, _, lines in observed(recorder)] == [[9]]


def test_an_error_without_a_stack_is_placed_at_the_line_that_was_interpreted(recorder: Recorder, run: FrameRun) -> None:
    recorder.step(recorder, Passed(HERE, 7))
    error = AttributeError("is_compiling")
    recorder.end(run, "raised", error)
    (item,) = breaks(recorder, WATCH, fatal=error)
    assert (item["kind"], [entry["line"] for entry in item["stack"]]) == ("crash", [7])


def test_a_caller_that_was_compiled_is_where_it_was_split_not_at_its_def(recorder: Recorder) -> None:
    code = test_break_in_a_loop_is_the_exception_it_was_raised_from.__code__
    first = recorder.begin(code, [], {})
    recorder.split("break", Unsupported("break", code.co_firstlineno + 3).real_stack)
    recorder.end(first, "code")
    caller = frame(HERE, code.co_firstlineno, code.co_name)
    elsewhere = frame(HERE, code.co_firstlineno + 1, code.co_name)
    assert [recorder.begin(code, [item], {}).above[0]["line"] - code.co_firstlineno for item in (caller, elsewhere)] == [3, 1]


def test_lines_of_an_earlier_attempt_are_told_apart(recorder: Recorder, run: FrameRun) -> None:
    first, second = object(), object()
    for attempt, line in ((first, 1), (first, 2), (second, 1)):
        recorder.step(attempt, Passed(HERE, line))
    recorder.end(run, "code")
    assert (run.visited, run.earlier) == ({Passed(HERE, 1)}, {Passed(HERE, 1), Passed(HERE, 2)})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "An error occurred when running the '_AddRuntimeAssertionsForInlineConstraintsPass' pass after the following passes: []",
            "a pass of this torch failed on the exported graph",
        ),
        ("keyword arguments NYI", "this torch cannot export a call with keyword arguments"),
        ("Dynamo is not supported on Python 3.12+", "this torch cannot compile on this Python"),
        ("Python 3.13+ not yet supported for torch.compile", "this torch cannot compile on this Python"),
        ("Numpy is not available", "numpy is not installed in this environment"),
    ],
)
def test_failures_that_say_nothing_about_the_code(text: str, why: str) -> None:
    assert why_unusable(RuntimeError(text)) == f"{why} (RuntimeError: {text})"


def test_other_failures_do() -> None:
    assert why_unusable(RuntimeError("aten.equal.default")) is None


def test_line_comes_from_the_message_where_there_is_no_stack() -> None:
    error = RuntimeError(f'odd\n\nfrom user code:\n   File "{HERE}", line 12, in forward\n    x\n')
    (entry,) = refusal("refusal", error, WATCH)["stack"]
    assert (entry["line"], entry["function"]) == (12, "forward")


def test_line_comes_from_the_traceback_where_the_message_has_none() -> None:
    stack = refusal("refusal", _raised(lambda: int("no number")), WATCH)["stack"]
    assert [entry["function"] for entry in stack] == ["_raised", "<lambda>"]


def test_stack_is_empty_where_nothing_is_known() -> None:
    assert refusal("refusal", RuntimeError("no place"), WATCH)["stack"] == []


def _raised(call: Any) -> BaseException:
    try:
        call()
    except ValueError as error:
        return error
    raise AssertionError("nothing was raised")


def test_only_the_users_part_of_a_message_is_read() -> None:
    text = (
        'File "torch/a.py", line 1, in a\n\nfrom user code:\n  File "b.py", line 2, in torch_dynamo_resume_in_f_at_1\n'
    )
    assert [(entry["line"], entry["function"]) for entry in from_text(text)] == [(2, "f")]


def test_frames_that_resume_each_other_become_one() -> None:
    names = ("forward", "torch_dynamo_resume_in_forward_at_3", "torch_dynamo_resume_in_forward_at_5", "helper")
    stack = [frame(HERE, line, name) for line, name in enumerate(names, 1)]
    assert [(entry["line"], entry["function"]) for entry in collapse(stack)] == [(3, "forward"), (4, "helper")]


def test_end_column_before_the_column_belongs_to_another_line() -> None:
    assert frame(HERE, 1, "f", 5, 9)["end_column"] == 9
    assert frame(HERE, 1, "f", 9, 5)["end_column"] is None
