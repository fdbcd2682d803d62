"""The places where we listen to dynamo. All are private to torch; ``missing`` says which an installed torch lacks.

- ``torch._dynamo.output_graph.GraphCompileReason.__post_init__``: every frame that is split, whatever the reason
- ``torch._dynamo.convert_frame._compile``: once for every frame, with its outcome
- ``torch._dynamo.exc``: the constructors of ``Unsupported``, ``UserError`` and ``SkipFrame``, with text and stack
- ``torch._dynamo.symbolic_convert.InstructionTranslatorBase.step``: every instruction dynamo interprets
- ``torch._dynamo.resume_execution.ContinueExecutionCache.lookup``: the function that goes on after a break; without it only
  what a break costs is not known

``torch._dynamo.bytecode_transformation.linetable_311_writer`` is mended, not listened to: see ``_exact_lines``.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .lines import Passed, divided_lines
from .recorder import Recorder
from .stacks import above

_SEAMS = (
    ("torch._dynamo.output_graph", "GraphCompileReason", "__post_init__"),
    ("torch._dynamo.convert_frame", None, "_compile"),
    ("torch._dynamo.exc", "Unsupported", "__init__"),
    ("torch._dynamo.exc", "UserError", "__init__"),
    ("torch._dynamo.exc", "SkipFrame", "__init__"),
    ("torch._dynamo.symbolic_convert", "InstructionTranslatorBase", "step"),
)

_RESUME = ("torch._dynamo.resume_execution", "ContinueExecutionCache", "lookup")
_LINE_TABLE = ("torch._dynamo.bytecode_transformation", None, "linetable_311_writer")


def missing() -> list[str]:
    """Dotted names of the seams that the installed torch does not have."""
    return [".".join(part for part in seam if part) for seam in _SEAMS if _owner(seam) is None]


def _owner(seam: tuple[str, str | None, str]) -> Any:
    module_name, class_name, name = seam
    try:
        owner: Any = importlib.import_module(module_name)
    except ImportError:
        return None
    if class_name is not None:
        owner = getattr(owner, class_name, None)
    return owner if owner is not None and callable(getattr(owner, name, None)) else None


@contextlib.contextmanager
def listening(recorder: Recorder) -> Iterator[None]:
    """Report to ``recorder`` what happens at the seams; those that are missing stay silent."""
    wrappers: tuple[Callable[[Any, Recorder], Any], ...] = (
        _on_reason, _on_frame, _on_exception, _on_exception, _on_exception, _on_step,
    )  # fmt: skip
    with contextlib.ExitStack() as undo:
        for seam, wrap in zip(_SEAMS, wrappers, strict=True):
            owner = _owner(seam)
            if owner is not None:
                undo.enter_context(replaced(owner, seam[2], wrap(getattr(owner, seam[2]), recorder)))
        resume = _owner(_RESUME)
        if resume is not None:
            undo.enter_context(replaced(resume, _RESUME[2], _on_resume(resume.lookup, recorder)))
        writer = _owner(_LINE_TABLE)
        if writer is not None:
            undo.enter_context(replaced(writer, _LINE_TABLE[2], _exact_lines(getattr(writer, _LINE_TABLE[2]))))
        yield


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Put ``value`` in place of an attribute of a class or module while the block runs."""
    own, before = name in vars(owner), vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if own:
            setattr(owner, name, before)
        else:
            delattr(owner, name)


def _on_reason(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(self: Any) -> None:
        original(self)
        if getattr(self, "graph_break", True):
            recorder.split(str(self.reason), self.user_stack)

    return hook


def _on_frame(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(code: Any, scope: Any, values: Any, *args: Any, **kwargs: Any) -> Any:
        run = recorder.begin(code, above(sys._getframe(1)), values)
        try:
            result = original(code, scope, values, *args, **kwargs)
        except BaseException as error:
            recorder.end(run, "raised", error)
            raise
        # torch 2.2 returns the code or None, later ones a record that holds it
        made = getattr(result, "guarded_code", result)
        recorder.end(run, "nothing" if made is None else "code")
        return result

    return hook


def _on_exception(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(self: Any, *args: Any, **kwargs: Any) -> None:
        during = sys.exc_info()[1]
        original(self, *args, **kwargs)
        recorder.raised(self, during)

    return hook


def _on_step(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(self: Any) -> Any:
        at = self.instruction_pointer
        if at is not None:
            instruction, code = self.instructions[at], self.f_code
            _tell_line(self)
            if instruction.starts_line:
                recorder.step(self.output, Passed(code.co_filename, instruction.starts_line))
            position = instruction.positions
            if position is not None and position.lineno in divided_lines(code):
                line, end_line, column, end_column = position
                recorder.step(self.output, Passed(code.co_filename, line, column, end_line, end_column))
        return original(self)

    return hook


def _tell_line(translator: Any) -> None:
    """Make torch's stacks hold the frame of a generator that goes on in the line it stopped in.

    Torch notes the place of a frame only when its line changes, and forgets it when the generator is left.
    """
    context = sys.modules["torch"]._guards.TracingContext.try_get()
    line = getattr(translator, "lineno", None)
    if context is not None and line is not None and line > 0 and getattr(context, "loc_in_frame", line) is None:
        context.set_current_loc(translator.f_code.co_filename, line, translator.f_code.co_name)


def _on_resume(original: Any, recorder: Recorder) -> Any:
    @functools.wraps(original)
    def hook(*args: Any, **kwargs: Any) -> Any:
        code = original(*args, **kwargs)
        recorder.resumed(code)
        return code

    return hook


def _exact_lines(original: Any) -> Any:
    """Make torch's writer of line tables count a line change once.

    For an instruction longer than 8 code units (a method lookup in Python 3.11 and later) it writes the step to the
    next line with each part, so that in a resume function every line after a call over several lines is reported too
    low down.
    """

    @functools.wraps(original)
    def hook(first_line: int) -> Any:
        table, update = original(first_line)

        def update_in_parts(positions: Any, size: int) -> None:
            while size > 8:
                update(positions, 8)
                size -= 8
            update(positions, size)

        return table, update_in_parts

    return hook
