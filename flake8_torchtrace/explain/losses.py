"""Codes of what accepted exports lose."""

from __future__ import annotations

from .topic import Topic

_COMPARED = (
    "With `--torchtrace-verify`: export accepted the module. The module and the exported program were then called three times, with inputs a, b, a, "
    "each on a fresh module and under the same seed, and what the calls did was compared. "
)

LOSSES: tuple[Topic, ...] = (
    Topic(
        "TTR501",
        "effect-lost-at-export",
        "export accepts the call and drops what it gives to the world",
        f"{_COMPARED}What this line wrote, logged, warned of, saved or started in the module's calls, it did not in those of the program. "
        "Without verification it is reported in place of the rule's own code when `--torchtrace-targets` asks for export alone, on a torch whose "
        "export accepts the call; with it, such a line is confirmed or dismissed by the calls.",
        "An exported program is a graph of tensor operations. Output, log records and warnings are no part of it, and export says nothing "
        "when it leaves them out; non-strict export does them once, while it traces.",
        "Remove the call, do it in the code that calls the program, or show that you know by a guard: "
        "`if not torch.compiler.is_compiling():`.",
    ),
    Topic(
        "TTR502",
        "change-lost-at-export",
        "export accepts the line and drops the change that it makes",
        f"{_COMPARED}This line changes an attribute, a buffer, a global, the environment or a seed when the module is called, and the "
        "program left it as it was. The bracket says from which call on results differ by it, if they do, "
        "and whether the trace itself left the change behind. What "
        "the first call makes for all further ones, as a cache does, is not told unless a result differs.",
        "A graph holds no attributes. A counter in the result is right at the first call and wrong at every further one: comparing one call "
        "shows nothing.",
        "Return the value, or hold it in a buffer that is written to in place (`self.total.add_(...)`): export keeps that.",
    ),
    Topic(
        "TTR503",
        "value-baked-at-export",
        "the exported program holds a value of the time of its trace",
        f"{_COMPARED}The module was also exported again with another time, another random state, another value of the environment variable, in the "
        "other mode; the graph was another one. What was read here once is a constant of the program.",
        "The clock, Python's random numbers, the environment and `self.training` are read while export traces and never again. With small values "
        "even the results look right.",
        "Pass the value in as an input, draw random numbers with torch, or export one program for each mode.",
    ),
    Topic(
        "TTR504",
        "left-behind-by-export",
        "after an export the module or a global holds a fake tensor of its trace",
        f"{_COMPARED}This line keeps a tensor on the module or in a global. After the export it holds one of the tracer's, which has no data.",
        "The module is broken by having been exported: the next call that reads it fails or makes fake tensors in turn.",
        "Do not keep tensors in forward; return them. To keep a value between calls, write to a buffer in place.",
    ),
    Topic(
        "TTR505",
        "differs-from-module",
        "the exported program gives another result than the module, or raises",
        f"{_COMPARED}The results differ, or the program raised, and nothing that was lost explains it. The line is the one where the trace left the "
        "way that the code takes, or the first that gave other values in the program.",
        "Export traced something else than what runs: another branch, a value from behind its back, a block that it did not understand.",
        "Look at what the line asks that is different while tracing: the type of a tensor, `.data`, an exception that is caught, a context manager.",
    ),
)
