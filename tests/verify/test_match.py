"""What follows from findings and results, with results written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from judging import LIBRARY, PATH, compiled, finding, frame, judge, observation, only, result, run

from flake8_torchtrace.model import Family, Outcome, Target

CONFIRMED, DISMISSED = Outcome.CONFIRMED, Outcome.DISMISSED
NOT_REACHED, UNVERIFIED = Outcome.NOT_REACHED, Outcome.UNVERIFIED

SOURCE = """\
class Net:
    def forward(self, x):
        n = x.sum().item()
        y = self.scale(
            x,
            n,
        )
        if n > 0:
            y = y + 1
        return y

    def scale(self, x, n):
        return x * n.item()


def make():
    net = Net()
    net.forward(1)
    return net, ()
"""
ALL = tuple(range(1, 20))


def test_a_break_on_the_statement_confirms() -> None:
    assert compiled(SOURCE, [finding(SOURCE, 3, ".item")], observation(frame(3))) == [CONFIRMED]


def test_any_line_of_a_statement_over_several_lines_confirms() -> None:
    assert compiled(SOURCE, [finding(SOURCE, 4, "self.scale")], observation(frame(6))) == [CONFIRMED]


def test_ran_and_traced_without_a_break_is_dismissed() -> None:
    assert compiled(SOURCE, [finding(SOURCE, 3, ".item")]) == [DISMISSED]


def test_a_break_elsewhere_leaves_a_traced_statement_dismissed() -> None:
    assert compiled(SOURCE, [finding(SOURCE, 3, ".item")], observation(frame(8))) == [DISMISSED]


def test_a_break_on_a_related_statement_confirms_the_cause() -> None:
    cause = finding(SOURCE, 3, ".item", related=(8,))
    assert compiled(SOURCE, [cause], observation(frame(8))) == [CONFIRMED]


def test_cause_and_symptom_are_both_confirmed_by_a_break_on_the_symptom() -> None:
    cause, symptom = finding(SOURCE, 3, ".item", related=(8,)), finding(SOURCE, 8, "n > 0", related=(3,))
    assert compiled(SOURCE, [cause, symptom], observation(frame(8, 11, 16))) == [CONFIRMED, CONFIRMED]


def test_a_related_statement_that_breaks_for_another_reason_confirms_only_its_own_finding() -> None:
    cause, other = finding(SOURCE, 3, ".item", related=(8,)), finding(SOURCE, 8, "n > 0", family=Family.NO_HANDLER)
    found = compiled(SOURCE, [cause, other], observation(frame(8), family="no-handler"))
    assert found == [DISMISSED, CONFIRMED]


def test_a_caller_is_not_confirmed_by_a_break_in_its_callee() -> None:
    caller, callee = finding(SOURCE, 4, "self.scale"), finding(SOURCE, 13, ".item")
    found = compiled(SOURCE, [caller, callee], observation(frame(4), frame(13, function="scale")))
    assert found == [DISMISSED, CONFIRMED]


def test_a_caller_is_confirmed_by_a_break_outside_the_file() -> None:
    caller = finding(SOURCE, 4, "self.scale")
    assert compiled(SOURCE, [caller], observation(frame(4), frame(90, path=LIBRARY))) == [CONFIRMED]


def test_a_line_number_of_another_file_does_not_count() -> None:
    assert compiled(SOURCE, [finding(SOURCE, 3, ".item")], observation(frame(3, path=LIBRARY))) == [DISMISSED]


def test_a_frame_of_make_does_not_count() -> None:
    found = judge(SOURCE, [], run(ALL, {"compile": result("broke", observation(frame(18, function="make")))}))
    assert found.extra == ()


def test_a_break_with_no_frame_in_the_file_says_nothing_of_it() -> None:
    found = judge(SOURCE, [], run(ALL, {"compile": result("broke", observation(frame(3, path=LIBRARY)))}))
    assert (found.extra, found.notes) == ((), ())


@pytest.mark.parametrize("family", ["unclassified", "internal", "a-family-of-the-future"])
def test_an_unknown_reason_is_a_break(family: str) -> None:
    assert compiled(SOURCE, [finding(SOURCE, 3, ".item")], observation(frame(3), family=family)) == [CONFIRMED]


SHARED = "class Net:\n    def forward(self, x):\n        print(x.item(), y.item())\n        return x\n"
PRINT = finding(SHARED, 3, "print", code="TTR201", family=Family.NO_HANDLER)
FIRST = finding(SHARED, 3, "x.item()")
SECOND = finding(SHARED, 3, "y.item()")


def test_columns_choose_among_the_findings_of_one_statement() -> None:
    found = compiled(SHARED, [PRINT, FIRST, SECOND], observation(frame(3, 24, 32)))
    assert found == [NOT_REACHED, NOT_REACHED, CONFIRMED]


def test_family_chooses_where_columns_cover_several_findings() -> None:
    found = compiled(SHARED, [PRINT, FIRST, SECOND], observation(frame(3, 8, 33), family="no-handler"))
    assert found == [CONFIRMED, NOT_REACHED, NOT_REACHED]


def test_family_chooses_where_torch_gives_no_columns() -> None:
    found = compiled(SHARED, [PRINT, FIRST, SECOND], observation(frame(3)))
    assert found == [NOT_REACHED, CONFIRMED, CONFIRMED]


def test_related_families_are_taken_for_one_another() -> None:
    found = compiled(SHARED, [PRINT, FIRST], observation(frame(3), family="skipped"))
    assert found == [CONFIRMED, NOT_REACHED]


def test_the_nearest_finding_is_confirmed_where_no_family_fits() -> None:
    found = compiled(SHARED, [PRINT, SECOND], observation(frame(3, 25, 30), family="autograd"))
    assert found == [NOT_REACHED, CONFIRMED]


def test_a_finding_beside_a_break_on_its_statement_is_never_dismissed() -> None:
    found = judge(SHARED, [FIRST, SECOND], run(ALL, {"compile": result("broke", observation(frame(3, 14, 22)), traced=ALL)}))
    assert only(found.verdicts[1][1]) == (
        NOT_REACHED,
        "torch broke elsewhere in this statement: Data-dependent branching (GB0170)",
    )


def test_the_observation_of_the_findings_own_family_gives_the_reason() -> None:
    other = observation(frame(3), family="no-handler", reason="Failed to trace", gb_id="GB0059")
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], run(ALL, {"compile": result("broke", other, observation(frame(3)))}))
    assert only(found.verdicts[0][1]) == (CONFIRMED, "Data-dependent branching (GB0170)")


# What it takes to dismiss


def test_not_executed_is_not_reached() -> None:
    found = judge(SOURCE, [finding(SOURCE, 9, "y + 1")], run((3, 4, 8), {"compile": result("ok", traced=ALL)}))
    assert only(found.verdicts[0][1]) == (NOT_REACHED, "these inputs did not take the code there")


def test_not_traced_is_not_reached() -> None:
    found = judge(SOURCE, [finding(SOURCE, 9, "y + 1")], run(ALL, {"compile": result("ok", traced=(3, 4))}))
    assert only(found.verdicts[0][1]) == (NOT_REACHED, "torch left this code to Python")


def test_lines_of_an_abandoned_frame_were_not_traced() -> None:
    skipped = observation(frame(4), kind="skipped-frame")
    found = judge(
        SOURCE,
        [finding(SOURCE, 3, ".item")],
        run(ALL, {"compile": result("broke", skipped, traced=ALL, abandoned=(3,))}),
    )
    assert only(found.verdicts[0][1]) == (NOT_REACHED, "torch left the whole frame to Python after line 4")


def test_no_graph_no_dismissal() -> None:
    assert compiled(SOURCE, [finding(SOURCE, 3, ".item")], graphs=0) == [NOT_REACHED]


def test_an_accepted_export_dismisses() -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], run(ALL, {"export-strict": result("ok", traced=ALL, graphs=0)}))
    assert only(found.verdicts[0][1]) == (DISMISSED, "accepted")


REFUSED = result("refused", observation(frame(8), kind="refusal"), traced=(3, 4, 8), abandoned=(3, 4, 8), graphs=0)


@pytest.mark.parametrize("target", ["fullgraph", "export-strict", "export-nonstrict"])
def test_a_statement_passed_before_a_refusal_is_dismissed(target: str) -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], run(ALL, {target: REFUSED}))
    assert only(found.verdicts[0][1]) == (DISMISSED, "traced, no break")


def test_a_statement_after_a_refusal_is_not_reached() -> None:
    found = judge(SOURCE, [finding(SOURCE, 9, "y + 1")], run(ALL, {"fullgraph": REFUSED}))
    assert only(found.verdicts[0][1]) == (NOT_REACHED, "the trace ended at line 8")


def test_a_refusal_outside_the_file_names_its_place() -> None:
    refused = result("refused", observation(frame(90, path=LIBRARY, function="core")), traced=(3,))
    found = judge(SOURCE, [finding(SOURCE, 9, "y + 1")], run(ALL, {"fullgraph": refused}))
    assert only(found.verdicts[0][1]) == (NOT_REACHED, "the trace ended in library/core.py:90 core")
    assert found.notes == ("make(): fullgraph refused in library/core.py:90 core: Data-dependent branching (GB0170)",)


@pytest.mark.parametrize("stack", [[], [frame(234, path=LIBRARY.replace("library", "torch"))]])
def test_a_refusal_without_a_place_dismisses_nothing(stack: list[dict[str, object]]) -> None:
    refused = result("refused", observation(*stack, kind="refusal"), traced=ALL, graphs=0)
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], run(ALL, {"export-strict": refused}))
    assert only(found.verdicts[0][1]) == (NOT_REACHED, "refused without naming a line: Data-dependent branching (GB0170)")
    assert found.notes == ()
    assert judge(SOURCE, [], run(ALL, {"export-strict": refused})).notes == (
        "make(): export-strict refused without naming a line: Data-dependent branching (GB0170)",
    )


def test_lines_do_not_tell_of_a_body_on_the_line_of_its_header() -> None:
    source = "def forward(x, n):\n    if n: x = x.item()\n    return x\n"
    assert compiled(source, [finding(source, 2, ".item")]) == [NOT_REACHED]


@pytest.mark.parametrize(
    ("line", "text", "expected"),
    [
        ("y = x.item() if n else x", "x.item()", NOT_REACHED),
        ("y = x if x.item() else n", "x.item()", DISMISSED),
        ("if n and x.item(): pass", "x.item()", NOT_REACHED),
        ("if n and x.item(): pass", "n and x.item()", DISMISSED),
        ("if x.item() and n: pass", "x.item()", DISMISSED),
        ("if 1 < n < x.item(): pass", "x.item()", NOT_REACHED),
        ("y = [v.item() for v in x]", "v.item()", NOT_REACHED),
        ("y = [v for v in x.item()]", "x.item()", DISMISSED),
        ("y = [v for v in n for v in x.item()]", "x.item()", NOT_REACHED),
        ("y = {v: 1 for v in n if x.item()}", "x.item()", NOT_REACHED),
        ("y = lambda: x.item()", "x.item()", NOT_REACHED),
        ("assert n, x.item()", "x.item()", NOT_REACHED),
        ("assert x.item(), n", "x.item()", DISMISSED),
    ],
)
def test_lines_do_not_tell_of_code_that_its_statement_may_pass_over(line: str, text: str, expected: Outcome) -> None:
    source = f"def forward(x, n):\n    {line}\n    return x\n"
    assert compiled(source, [finding(source, 2, text)]) == [expected]


@pytest.mark.parametrize(
    ("executed", "traced", "expected"),
    [((2, 4), (2, 4), DISMISSED), ((2, 3), (2, 3, 4), NOT_REACHED), ((2, 4), (2, 3), NOT_REACHED)],
)
def test_an_operand_on_lines_of_its_own(executed: tuple[int, ...], traced: tuple[int, ...], expected: Outcome) -> None:
    source = "def forward(x, n):\n    if (\n        n\n        and x.item()\n    ):\n        return x\n"
    found = judge(source, [finding(source, 4, "x.item()")], run(executed, {"compile": result("ok", traced=traced)}))
    assert found.verdicts[0][1].outcome is expected


def test_a_break_under_one_target_proves_for_the_others_that_the_code_ran() -> None:
    source = "def forward(x, n):\n    y = x.item() if n else x\n    return y\n"
    targets = {"compile": result("broke", observation(frame(2, 8, 16))), "export-strict": result("ok", traced=(2, 3))}
    ((_, verdict),) = judge(source, [finding(source, 2, "x.item()")], run((2, 3), targets)).verdicts
    assert [judged.outcome for judged in verdict.targets.values()] == [CONFIRMED, DISMISSED]


def test_columns_tell_a_header_from_a_body_on_its_line() -> None:
    source = "def forward(x, n):\n    if n: x = x.item()\n    return x\n"
    header, body = finding(source, 2, "n:"), finding(source, 2, ".item")
    assert compiled(source, [header, body], observation(frame(2, 14, 22))) == [NOT_REACHED, CONFIRMED]


def test_a_break_that_a_number_decides_confirms_only_where_the_number_was_made() -> None:
    taken, untaken = finding(SOURCE, 3, ".item", related=(8,)), finding(SOURCE, 13, "n.item", related=(8,))
    ran = tuple(line for line in ALL if line != 13)
    one = run(ran, {"fullgraph": result("refused", observation(frame(8), kind="refusal"), traced=ran)})
    outcomes = [verdict.outcome for _, verdict in judge(SOURCE, [taken, untaken], one).verdicts]
    assert outcomes == [CONFIRMED, NOT_REACHED]


# What cannot be run


def test_a_break_in_a_header_does_not_confirm_its_body_on_the_same_line() -> None:
    source = "def f(x):\n    m = x.sum().item()\n    if m == 1.5: return x.tolist()\n    return x\n"
    cause, body = finding(source, 2, ".item", related=(3,)), finding(source, 3, "x.tolist()", code="TTR107")
    seen = observation(frame(3, 7, 15))
    outcomes = compiled(source, [cause, body], seen)
    assert outcomes[0] is CONFIRMED
    assert outcomes[1] is not CONFIRMED
    assert compiled(source, [body], seen)[0] is not CONFIRMED


def test_no_runs() -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")])
    assert only(found.verdicts[0][1]) == (UNVERIFIED, "no inputs")


def test_a_run_that_failed() -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], run((), {}, reason="eager call of Net failed: ValueError"))
    assert only(found.verdicts[0][1]) == (UNVERIFIED, "eager call of Net failed: ValueError")


def test_an_unusable_target_says_why() -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], run(ALL, {"export-strict": result("unusable", why="no numpy")}))
    assert only(found.verdicts[0][1]) == (UNVERIFIED, "no numpy")


def test_a_crash_confirms_where_it_happened_and_leaves_the_rest_open() -> None:
    crash = observation(frame(8), kind="crash", reason="boom", gb_id=None, exception="KeyError")
    here, there = finding(SOURCE, 8, "n > 0"), finding(SOURCE, 3, ".item")
    found = judge(SOURCE, [here, there], run(ALL, {"compile": result("crashed", crash, traced=ALL)}))
    assert only(found.verdicts[0][1]) == (CONFIRMED, "KeyError: boom")
    assert only(found.verdicts[1][1]) == (UNVERIFIED, "compile crashed: KeyError: boom")


# Several runs

OK = {"compile": result("ok", traced=ALL)}
BROKE = {"compile": result("broke", observation(frame(3)), traced=ALL)}
LATE = {"compile": result("unusable", why="took longer than the limit of 5 s")}


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run(ALL, OK), run(ALL, BROKE)], CONFIRMED),
        ([run(ALL, OK), run((4,), OK)], DISMISSED),
        ([run((4,), OK), run((4,), OK)], NOT_REACHED),
        ([run(ALL, OK), run(ALL, LATE)], UNVERIFIED),
        ([run(ALL, OK), run((4,), LATE)], DISMISSED),
        ([run(ALL, OK), run(ALL, {"compile": result("ok", traced=())})], NOT_REACHED),
        ([run((4,), OK), run((), {}, reason="failed")], NOT_REACHED),
        ([run((), {}, reason="failed"), run((), {}, reason="failed too")], UNVERIFIED),
    ],
)
def test_several_runs(runs: list[dict[str, object]], expected: Outcome) -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], *runs)
    assert found.verdicts[0][1].targets[Target.COMPILE].outcome is expected


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([run(ALL, OK), {**run(ALL, LATE), "adds": True}], DISMISSED),
        ([run(ALL, OK), {**run(ALL, BROKE), "adds": True}], CONFIRMED),
        ([run((4,), OK), {**run(ALL, OK), "adds": True}], DISMISSED),
        ([run((4,), OK), {**run(ALL, LATE), "adds": True}], UNVERIFIED),
        ([run(ALL, {"compile": result("ok", traced=())}), {**run(ALL, OK), "adds": True}], NOT_REACHED),
    ],
)
def test_a_run_that_adds_takes_no_dismissal_back(runs: list[dict[str, object]], expected: Outcome) -> None:
    found = judge(SOURCE, [finding(SOURCE, 3, ".item")], *runs)
    assert found.verdicts[0][1].targets[Target.COMPILE].outcome is expected


def test_a_failed_run_beside_a_good_one_is_told() -> None:
    found = judge(SOURCE, [], run(ALL, OK), run((), {}, reason="it raised", label="recipe 'Net' in recipes.py"))
    assert found.notes == ("recipe 'Net' in recipes.py: it raised",)


# Breaks that no rule predicted


def test_an_unpredicted_break_is_reported_where_torch_broke() -> None:
    found = judge(SOURCE, [], run(ALL, {"compile": result("broke", observation(frame(3, 12, 26)), traced=ALL)}))
    ((extra, verdict),) = found.extra
    assert (extra.code, extra.path, extra.span.line, extra.span.column) == ("TTR901", PATH, 3, 12)
    assert (extra.function, extra.family, extra.message) == (
        "forward",
        Family.VALUE,
        "torch breaks here and no rule predicted it",
    )
    assert only(verdict) == (CONFIRMED, "Data-dependent branching (GB0170)")


def test_an_unpredicted_break_in_a_library_names_the_place() -> None:
    broke = result("broke", observation(frame(4), frame(7, path=LIBRARY), frame(90, path=LIBRARY, function="inner")))
    ((extra, _),) = judge(SOURCE, [], run(ALL, {"compile": broke})).extra
    assert (extra.span.line, extra.message) == (
        4,
        "torch breaks here and no rule predicted it, inside library/core.py:90 inner",
    )


def test_one_report_for_a_statement_and_a_verdict_for_every_target() -> None:
    targets = {
        "compile": result("broke", observation(frame(5)), observation(frame(6)), traced=ALL),
        "fullgraph": result("refused", observation(frame(4), kind="refusal")),
        "export-nonstrict": result("ok", traced=ALL),
    }
    ((_, verdict),) = judge(SOURCE, [], run(ALL, targets), run(ALL, targets)).extra
    assert {target.value: judged.outcome for target, judged in verdict.targets.items()} == {
        "compile": CONFIRMED,
        "fullgraph": CONFIRMED,
        "export-nonstrict": DISMISSED,
    }


@pytest.mark.parametrize("related", [(), (8,)])
def test_a_break_on_a_statement_with_findings_is_predicted(related: tuple[int, ...]) -> None:
    line, text = (3, ".item") if related else (8, "n > 0")
    broke = result("broke", observation(frame(8), family="autograd"), traced=ALL)
    found = judge(SOURCE, [finding(SOURCE, line, text, related=related)], run(ALL, {"compile": broke}))
    assert found.extra == ()
    assert found.verdicts[0][1].outcome is CONFIRMED


PARTS = """\
def forward(self, x):
    y = a(x) and b(x).item()
    return y
"""


@pytest.mark.parametrize(
    ("ran", "traced", "outcome", "detail"),
    [
        (((2, 8, 2, 12),), ((2, 8, 2, 12),), Outcome.NOT_REACHED, "these inputs did not take the code there"),
        (((2, 8, 2, 12), (2, 17, 2, 28)), ((2, 8, 2, 12),), Outcome.NOT_REACHED, "torch left this code to Python"),
        (((2, 8, 2, 12), (2, 17, 2, 21)), ((2, 17, 2, 21),), Outcome.DISMISSED, "traced, no break"),
        ((), ((2, 17, 2, 21),), Outcome.NOT_REACHED, "cannot tell whether it ran: it shares its line with what decides that"),
        (((2, 17, 2, 21),), (), Outcome.NOT_REACHED, "cannot tell whether it ran: it shares its line with what decides that"),
    ],
)
def test_columns_tell_what_ran_of_a_line(ran: Any, traced: Any, outcome: Outcome, detail: str) -> None:
    one = run((2, 3), {"compile": {**result("ok", traced=(1, 2, 3)), "points": traced}})
    matched = judge(PARTS, [finding(PARTS, 2, "b(x).item()")], {**one, "points": ran})
    assert only(matched.verdicts[0][1]) == (outcome, detail)


def test_the_smallest_part_around_a_finding_decides() -> None:
    source = "f = lambda t: t[n.item()] if n else t\n"
    one = run((1,), {"compile": {**result("ok", traced=(1,)), "points": [(1, 29, 1, 30)]}})
    matched = judge(source, [finding(source, 1, "n.item()", owner=None)], {**one, "points": [(1, 29, 1, 30)]})
    assert matched.verdicts[0][1].outcome is Outcome.NOT_REACHED


@pytest.mark.parametrize(
    ("end", "other", "outcome"),
    [
        (20, {"is_complete": True}, DISMISSED),
        (20, {"is_complete": False}, Outcome.NOT_REACHED),
        (20, {"is_complete": True, "left_out": [2]}, Outcome.NOT_REACHED),
        (None, {"is_complete": True}, Outcome.NOT_REACHED),
        (40, {"is_complete": True}, Outcome.NOT_REACHED),
    ],
)
def test_what_stands_beside_a_refused_expression_is_traced_when_that_is_passed_by(end: int | None, other: Any, outcome: Outcome) -> None:
    source = "def forward(self, x):\n    y = os.getpid(x) + torch.nonzero(x)\n    return y\n"
    findings = [
        finding(source, 2, "os.getpid(x)", family=Family.NO_HANDLER),
        finding(source, 2, "torch.nonzero(x)", family=Family.DYNAMIC_SHAPE),
    ]
    refusal = observation(frame(2, 8, end), kind="refusal", family="no-handler")
    refused = {**result("refused", refusal, traced=(2, 3)), **other}
    matched = judge(source, findings, run((2, 3), {"fullgraph": refused}))
    assert [verdict.outcome for _, verdict in matched.verdicts] == [CONFIRMED, outcome]


BACKWARD = """\
class Double(torch.autograd.Function):
    @staticmethod
    def backward(ctx, g):
        say(g)
        return g.mean().item()


class Net:
    def forward(self, x):
        return Double.apply(x)
"""
FORWARD = (9, 10)


def backward(traced: tuple[int, ...], *observations: dict[str, Any]) -> dict[str, Any]:
    """A run that called ``forward`` only, where strict export took ``traced`` of ``backward`` and compile broke there."""
    targets = {"compile": result("broke", *observations, traced=FORWARD), "export-strict": result("ok", traced=(*FORWARD, *traced))}
    return run(FORWARD, targets)


def test_of_a_break_where_no_call_went_the_other_targets_say_what_was_seen() -> None:
    ((_, verdict),) = judge(BACKWARD, [], backward((4, 5), observation(frame(10), frame(4, function="backward")))).extra
    told = {target.value: (judged.outcome, judged.detail) for target, judged in verdict.targets.items()}
    assert (told["compile"][0], told["export-strict"]) == (CONFIRMED, (DISMISSED, "accepted"))
    ((_, verdict),) = judge(BACKWARD, [], backward((), observation(frame(10), frame(4, function="backward")))).extra
    assert verdict.targets[Target.EXPORT_STRICT].outcome is NOT_REACHED


def test_what_only_a_tracer_took_and_no_target_broke_at_is_not_reached() -> None:
    found = judge(BACKWARD, [finding(BACKWARD, 5, ".item", owner="Net")], backward((4, 5), observation(frame(10))))
    ((_, verdict),) = found.verdicts
    assert {judged.outcome for judged in verdict.targets.values()} == {NOT_REACHED}
