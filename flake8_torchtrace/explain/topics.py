"""Codes that are not a rule's own: what the tool says of itself, what only export shows, what only verification can know.

The code of a rule that is no more stays here too, as a `Topic` with ``is_retired``: a number is never used again.
"""

from __future__ import annotations

from .losses import LOSSES
from .sizes import SIZES
from .topic import Topic

__all__ = ["TOPICS", "Topic"]


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
        "It was reported where Python took a file and libcst did not take a statement with a finding, which was lost.",
        "Findings need libcst no more. Only before Python 3.12, it tells where in an f-string one stands; where it cannot, it stands at the string.",
        "Nothing.",
        is_retired=True,
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
        "TTR006",
        "promise-not-read",
        "a promise that cannot be read",
        "A comment `# torchtrace: ...` or an attribute `__torchtrace__` means to say what a class promises, and cannot be read or stands at no "
        "class. `torchtrace ready` refuses to work until it is mended.",
        "A promise that nobody reads is one that nobody holds.",
        "Write it as the sentence says. `torchtrace ready --help` and the README list what can be promised.",
    ),
    *LOSSES,
    *SIZES,
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
        "TTR910",
        "promise-broken",
        "a class does not keep what it promises",
        "`[tool.torchtrace.ready]` in pyproject.toml, a comment `# torchtrace: ...` or an attribute `__torchtrace__` says what this class "
        "promises of torch.compile or torch.export, and an experiment says that it does not keep it, or there is no experiment to be had. "
        "flake8 reports it at the class, with the line that broke it, if verification is asked for or an earlier run of it or of "
        "`torchtrace ready` is known; `torchtrace ready` reports it at that line.",
        "A break changes no result, so tests stay green. A promise is what makes the change that breaks it fail.",
        "Mend the line that the message names, or promise less. Where it could not be checked, give inputs: a promise without inputs is not kept.",
    ),
)
