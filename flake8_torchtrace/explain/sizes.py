"""Codes of what verification finds out about sizes that vary."""

from __future__ import annotations

from .topic import Topic

_OPEN = "With `--torchtrace-verify --torchtrace-dynamic`: the module was exported with every size of its inputs left open (`Dim.AUTO`)"
_DECLARED = "With `--torchtrace-verify`, where the inputs come with `dynamic_shapes`: the module was exported with them"

SIZES: tuple[Topic, ...] = (
    Topic(
        "TTR701",
        "size-fixed",
        "a size of an input is fixed here by export, and the module takes others",
        f"{_OPEN}, and this line made a number of a size. The module itself was called with another size and took it.",
        "The exported program serves the size of the example only. With `Dim.AUTO` export does this without a word, and the program raises "
        "at the first call with another size; with `Dim` or `Dim.DYNAMIC` export refuses.",
        "Keep the size out of Python: no `int()`, no `range()` over it, no list as long as it; write `-1` for it in `view` and `reshape`. "
        "If the size never changes, say so: declare the dimensions that do in `dynamic_shapes`.",
    ),
    Topic(
        "TTR702",
        "size-excluded",
        "the exported program does not take a size that the module takes",
        f"{_OPEN}, the size stayed open, and this line put a condition on it, as a branch on a size does. The program was called with a size "
        "that does not meet the condition and refused it; the module itself took it.",
        "An exported program holds one way through the code. The range that torch tells does not show every such condition.",
        "Replace the branch by operations that serve both ways, export one program for each way, or declare the range that is meant.",
    ),
    Topic(
        "TTR703",
        "sizes-tied",
        "sizes of inputs are made equal here by export, and the module takes them apart",
        f"{_OPEN}, and this line tied two sizes to each other. The module itself was called with one of them changed and took it.",
        "The program refuses inputs whose sizes differ from each other in another way than those of the example do.",
        "Give an example in which sizes that are independent are different, and look at what the line makes of equal ones.",
    ),
    Topic(
        "TTR704",
        "dynamic-shapes-refused",
        "export refuses here what it was asked to leave open",
        f"{_DECLARED}, or with every size left open, and was refused. The line is the one at which torch decided something that the declared "
        "ranges do not keep.",
        "Torch names the dimension and the condition, and seldom the line.",
        "Change the line so that it serves all of the range, or declare a range that the line keeps; torch suggests one.",
    ),
    Topic(
        "TTR705",
        "differs-at-another-size",
        "the exported program gives another result than the module at another size",
        "The exported program and the module were called with the same inputs of another size than that of the example, and gave different "
        "results. The function that was exported is reported, or the line that put the condition that the size does not meet.",
        "Something that depends on the size was computed once, while export traced. Nobody is told when the program is used.",
        "Look for numbers that come from the example: kept on `self`, in a global, or computed where the tracer does not look.",
    ),
    Topic(
        "TTR706",
        "size-outside-taken",
        "the exported program takes a size outside of the range that was declared",
        f"{_DECLARED} and then called with one less than the least size and one more than the greatest. It gave a result. The line says whether "
        "that is the result of the module.",
        "A declared range reads as a promise that other sizes are refused. Torch does not check a least size of 2, for one.",
        "Check the size before the program is called, or accept that the range is a hint.",
    ),
    Topic(
        "TTR707",
        "size-compiled-again",
        "torch.compile compiles further sizes again because of this",
        "With `--torchtrace-verify --torchtrace-dynamic`, or with declared `dynamic_shapes`: the compiled module was called with one size after "
        "another. Torch compiles for the first, then once for any size; it compiled again after that, because of this line.",
        "Each new size costs a compilation. After a number of them, which the line tells if it was reached, torch gives up and runs the function "
        "uncompiled.",
        "As for TTR701: keep the size out of Python. A branch on a size costs one compilation for each way, which may be what you want.",
    ),
    Topic(
        "TTR708",
        "size-zero-or-one",
        "a size of the example is 0 or 1, which fixes it",
        f"{_OPEN}. A size of 0 or 1 is never left open, since such sizes broadcast. The module itself takes other sizes.",
        "The exported program serves that size only, and nothing is known of what else would fix it.",
        "Give an example with a size of 2 or more.",
    ),
    Topic(
        "TTR709",
        "size-not-taken",
        "the module itself does not take a size of the range that was declared",
        f"{_DECLARED}, accepted, and the module was called in eager with a size inside of the range, at one of its ends or between. It raised.",
        "The range promises more than the module does.",
        "Declare the range that the module takes.",
    ),
)
