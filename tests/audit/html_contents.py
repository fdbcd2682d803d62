"""Contents of audits for the page: with markup wherever text comes from outside, and a great many findings."""

from __future__ import annotations

from audit_contents import HOSTILE, confirmed, dismissed, finding, item

from flake8_torchtrace.model import Family, Frame, Observation, ObservationKind, Outcome, Span, Target, TargetVerdict, Verdict
from flake8_torchtrace.report.changes import Comparison, changes
from flake8_torchtrace.report.content import Content, Level, Problem, RuleHelp
from flake8_torchtrace.report.modules import Module, TargetState

MARKUP = "</script><script>alert(1)</script><img src=x onerror=alert(2)>&amp;'\""
PATH = f"{MARKUP}/net.py"
SOURCE = f"""import torch


class Net(torch.nn.Module):
    def forward(self, x):  # {MARKUP}
        s = "{MARKUP.replace('"', "")}"
        return helper(x)
"""


def hostile() -> Content:
    """An audit in which the code, its path, and what torch says of it are full of markup."""
    span = Span(7, 15, 7, 24)
    found = finding(line=7, span=span, path=PATH, message=f"`{MARKUP}` {MARKUP} {HOSTILE}", owner="Net", function=f"Net.{MARKUP}")
    seen = Observation(
        Target.COMPILE, ObservationKind.BREAK, f"all of it: {MARKUP}", Family.VALUE, (Frame(PATH, 7, MARKUP),), "Unsupported",
        cost=MARKUP, crossing=(MARKUP,),
    )  # fmt: skip
    verdict = Verdict(MARKUP, {**confirmed().targets, Target.COMPILE: TargetVerdict(Outcome.CONFIRMED, MARKUP, seen, f"synthesised: {MARKUP}")})
    states = {Target.COMPILE: TargetState("broke", 2, 9, MARKUP), Target.EXPORT_STRICT: TargetState("unusable", why=MARKUP)}
    compared = Comparison((MARKUP, MARKUP), (MARKUP, MARKUP), tuple(changes(PATH, found, dismissed(), verdict)))
    return Content(
        version="0.1.0", python="3.11", torch=MARKUP, targets=tuple(Target), fail_on=Level.LIKELY,
        items=(item(PATH, found, verdict, fails=True, stack=((PATH, 7, MARKUP), (MARKUP, 1, MARKUP)), function=f"Net.{MARKUP}"),),
        checked=(PATH,), problems=(Problem(MARKUP, MARKUP),), missing=(MARKUP,), vanished=(MARKUP,), has_baseline=True,
        rules={"TTR101": RuleHelp("TTR101", MARKUP, MARKUP, MARKUP)}, comparison=compared,
        modules=(Module(PATH, "Net", 4, 7, states), Module(PATH, MARKUP, reason=MARKUP)), sources={PATH: SOURCE},
    )  # fmt: skip


def many(number: int) -> Content:
    """``number`` findings in a tenth as many modules, with the states that modules can have."""
    statuses = ("ok", "broke", "refused", "unusable")
    modules, items, sources = [], [], {}
    for index in range(number // 10):
        path, status = f"package/part{index % 40}/net{index}.py", statuses[index % 4]
        compiled = "ok" if status == "refused" else status
        states = {target: TargetState(compiled if target is Target.COMPILE else status, 3, 40) for target in Target}
        modules.append(Module(path, f"Net{index}", 1, 40, states))
        sources[path] = f"class Net{index}(nn.Module):\n    def forward(self, x):\n" + "        x = x + 1\n" * 38
        for line in range(10):
            family = list(Family)[(index + line) % 6]
            found = finding(f"TTR1{line:02}", 3 + 3 * line, path=path, owner=f"Net{index}", function="forward", family=family)
            verdict = (confirmed(), None, dismissed())[line % 3]
            items.append(item(path, found, verdict, function=f"Net{index}.forward", fails=line % 3 == 0))
    checked = tuple(sources)
    return Content("0.1.0", "3.11", "2.13.0", tuple(Target), Level.LIKELY, tuple(items), checked, modules=tuple(modules), sources=sources)
