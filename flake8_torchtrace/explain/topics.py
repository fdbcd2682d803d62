"""Codes that are not a rule's own: what the tool says of itself, what only export shows, what only verification can know.

The code of a rule that is no more stays here too, as a `Topic` with ``is_retired``: a number is never used again.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Topic:
    """A code without examples. ``what`` happened, ``why`` it is told, and what to ``do`` about it: sentences."""

    code: str
    name: str
    summary: str
    what: str
    why: str
    do: str
    is_retired: bool = False


TOPICS: tuple[Topic, ...] = (
    Topic(
        "TTR001",
        "file-too-deep",
        "the file nests too deeply to be analysed",
        "The analysis ran into Python's recursion limit. Nothing in this file was checked.",
        "A file that was not checked must not look like a file without findings.",
        "Split the expression that nests so deeply, or silence the code for this file with `per-file-ignores`.",
    ),
    Topic(
        "TTR002",
        "file-failed",
        "flake8-torchtrace failed on this file",
        "The plugin itself raised an exception while it read this file. Nothing in this file was checked; flake8 went on with the others.",
        "A fault of this tool should not end flake8's run, and should not pass as a clean file either.",
        "Report it, with the exception that the line names and the file if you can share it.",
    ),
    Topic(
        "TTR003",
        "line-not-read",
        "libcst cannot read a line of this file",
        "Python takes the file and libcst does not take a statement that has a finding. The finding at that statement is not reported.",
        "libcst may not know the syntax of the newest Python yet; the rest of the file was checked.",
        "Update libcst. If the newest libcst does not read the line either, report it there.",
    ),
    Topic(
        "TTR004",
        "rule-failed",
        "a rule failed on this file",
        "A rule raised an exception at the line that the message names. The other rules went on.",
        "A fault in one rule should not hide what the others found.",
        "Report it. To go on working, leave the rule out with `extend-ignore`.",
    ),
    Topic(
        "TTR005",
        "verification-note",
        "something about the verification that no finding tells",
        "With `--torchtrace-verify`: torch refused the module at a place that has no finding in this file, a recipe does not work, or the "
        "installed torch behaves in another way than this tool relies on.",
        "What torch said would be lost otherwise: a module that export refuses is not export-ready, wherever the cause stands.",
        "Read the sentence: it names the run it is about and what torch said.",
    ),
    Topic(
        "TTR501",
        "effect-lost-at-export",
        "export accepts the call and drops it",
        "The call breaks none of the wanted targets, and an export is among them: the module is exported, and the exported program does "
        "not do what the call does. It is reported under this code in place of the rule's own when `--torchtrace-targets` asks for export "
        "alone, on a torch whose export accepts the call.",
        "An exported program is a graph of tensor operations. Output, log records and warnings are no part of it, and export says nothing "
        "when it leaves them out; non-strict export does them once, while it traces.",
        "Remove the call, do it in the code that calls the program, or show that you know by a guard: "
        "`if not torch.compiler.is_compiling():`.",
    ),
    Topic(
        "TTR502",
        "change-lost-at-export",
        "the exported program does not make this change",
        "With `--torchtrace-verify`: each call of the module changes an attribute, a global, a buffer, a parameter or a seed at this line. "
        "The exported program, called in the same way, leaves it alone. Where results come to differ by that, the line says from which "
        "call on.",
        "An exported program is a graph of tensor operations on its inputs, parameters and buffers. What Python keeps beside them is written "
        "once at the trace, or not at all.",
        "Keep the value in a buffer that is changed in place, return it, or keep it in the code that calls the program.",
    ),
    Topic(
        "TTR503",
        "value-baked-at-export",
        "the exported program keeps a value that the trace found",
        "With `--torchtrace-verify`: this line reads the time, a random number of Python or numpy, an environment variable or the mode of "
        "the module. The module was exported again where that value is another, and the graph was another.",
        "Export runs the code once. A value that does not come from a tensor becomes a constant of the graph.",
        "Hand the value in as an input, or draw it with torch. For the mode, export the module once for each mode.",
    ),
    Topic(
        "TTR504",
        "fake-tensor-left",
        "export leaves a tensor without data behind",
        "With `--torchtrace-verify`: after the export an attribute or a global holds a tensor of the trace, where the code at this line put it.",
        "Non-strict export runs the code with fake tensors, which have shapes and no data. The next eager use of one fails.",
        "Return the tensor in place of keeping it, or keep it only where `torch.compiler.is_exporting()` is false.",
    ),
    Topic(
        "TTR901",
        "unpredicted-break",
        "torch breaks here and no rule predicted it",
        "With `--torchtrace-verify`: torch broke the graph or refused the module at this statement, and no rule had a finding there. Where "
        "the break is inside other code, the innermost line of the linted file that led there is reported, and the place is named.",
        "Verification watches all that torch does, not only what was predicted. Such a break is as real as one that a rule predicted.",
        "Read torch's reason in the line; the family it names says what mends it. If code alone shows the construct, it deserves a rule.",
    ),
    Topic(
        "TTR902",
        "export-differs",
        "the exported program does something else than the code",
        "With `--torchtrace-verify`: export accepted the module, and called with the same inputs the program gave another result than the "
        "module, or raised. The line is the one at which the tracer left the way of the code, or the first whose values differ.",
        "Accepted is not the same as right: a tracer may take another branch than real tensors do, or miss a change behind its back.",
        "Write the line in another way and verify again. If it is plain tensor code, report it to torch.",
    ),
)
