"""A promise is kept only where an experiment said so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.model import Span
from flake8_torchtrace.ready.blame import Blame
from flake8_torchtrace.ready.collect import Promised
from flake8_torchtrace.ready.hold import Held, hold
from flake8_torchtrace.ready.names import Place
from flake8_torchtrace.ready.outline import ClassOutline
from flake8_torchtrace.ready.promises import from_text

EXPORT = "export-nonstrict"
ACCEPTED: dict[str, Any] = {"status": "ok", "why": None, "graphs": 1, "observations": []}
REFUSAL: dict[str, Any] = {
    "kind": "refusal", "reason": "because", "family": "value", "exception": "Unsupported", "gb_id": "GB0170",
    "stack": [{"path": "", "line": 7, "function": "forward", "column": 4, "end_column": 9}],
}  # fmt: skip


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text("class Net: pass\n" * 9)
    return str(path)


def judged(file: str, text: str, *runs: dict[str, Any], **answer: Any) -> list[Held]:
    """What becomes of the promises ``text`` of a class in ``file``."""
    outline = ClassOutline("Net", Span(3, 0, 3, 9), 3, 4, 5, (), True)
    promised = Promised(Place(file, outline, "net.Net"), from_text(text), "")
    return hold(promised, {"runs": list(runs), "problems": [], "notes": [], **answer}, Blame(str(Path(file).parent)))


def run(**found: Any) -> dict[str, Any]:
    """A run that went well but for what ``found`` says."""
    four_calls: dict[str, Any] = {"status": "ok", "why": None, "calls": 4, "observations": [], "recompiles": []}
    repeats = [{"fullgraph": kind, **four_calls} for kind in (True, False)]
    targets = {"export-nonstrict": ACCEPTED, "export-strict": ACCEPTED}
    return {
        "label": "make()", "name": "Net", "subject": "Net", "reason": None, "repeats": repeats, "targets": targets, "dynamic": {},
        "replayed": {"faults": {EXPORT: []}, "problems": {}}, "portable": {"error": None, "problem": None, "foreign": []}, **found,
    }  # fmt: skip


ALL = "fullgraph, export-ready, export-strict, max-breaks=0, max-recompiles=0"


def test_all_is_kept_where_every_experiment_says_so(file: str) -> None:
    held = judged(file, ALL, run())
    assert [item.words for item in held if item.is_kept] == [item.words for item in held]
    assert len(held) == 8


def test_dimensions_that_nobody_named_are_not_kept(file: str) -> None:
    (held,) = judged(file, "dynamic", run())
    assert (held.is_kept, held.was_checked) == (False, False)
    assert held.why.startswith("could not be checked: nothing says which dimensions vary")


@pytest.mark.parametrize(
    ("runs", "answer", "why"),
    [
        ((), {}, "could not be checked: there are no inputs for Net (how: make() or example_inputs() in "),
        ((), {"failure": "torch is not installed"}, "could not be checked: torch is not installed"),
        ((), {"problems": ["make() is wrong"]}, "could not be checked: make() is wrong"),
        ((run(reason="make() failed"),), {}, "could not be checked: make() failed"),
        ((run(), run(reason="it failed", label="recipe")), {}, "could not be checked with recipe: it failed"),
        ((run(targets={"export-nonstrict": {"status": "unusable", "why": "too long"}}),), {}, "could not be checked: too long"),
        ((run(targets={"export-nonstrict": {**ACCEPTED, "status": "refused"}}),), {}, "could not be checked: torch refused it and gave no reason"),
    ],
)
def test_what_cannot_be_checked_is_not_kept(file: str, runs: Any, answer: Any, why: str) -> None:
    (held,) = judged(file, "export", *runs, **answer)
    assert held.why.startswith(why)
    assert not held.was_checked
    assert held.spot.span.line == 3


@pytest.mark.parametrize(
    ("found", "count"),
    [
        ({"replayed": {"faults": {}, "problems": {EXPORT: "it hung"}}}, 2),
        ({"portable": {"error": None, "foreign": [], "problem": "it hung"}}, 1),
    ],
)
def test_an_experiment_without_an_answer_is_no_pass(file: str, found: Any, count: int) -> None:
    held = judged(file, "replays, no-lost-effects, portable", run(**found))
    assert {item.why for item in held if not item.is_kept} == {"could not be checked: it hung"}
    assert len([item for item in held if not item.is_kept]) == count


def test_a_make_of_another_class_that_fails_is_not_held_against_this_one(file: str) -> None:
    (held,) = judged(file, "export", run(), run(reason="make() failed", name="", subject=""))
    assert held.is_kept


def test_what_follows_from_a_refused_export_is_told_with_it(file: str) -> None:
    stack = [{**REFUSAL["stack"][0], "path": file}, {**REFUSAL["stack"][0], "path": "/somewhere/else.py"}]
    refused = {"status": "refused", "why": None, "graphs": 0, "observations": [{**REFUSAL, "stack": stack}]}
    targets = {"export-nonstrict": refused, "export-strict": ACCEPTED}
    export, strict = judged(file, "export-ready, export-strict", run(targets=targets))
    assert [promise.value for promise in export.follows] == ["replays", "no-lost-effects", "portable"]
    assert (export.spot.path, export.spot.span, export.why) == (file, Span(7, 4, 7, 9), "because (GB0170)")
    assert strict.is_kept
    (alone,) = judged(file, "replays", run(targets=targets, replayed={"faults": {}, "problems": {}}))
    assert (alone.spot.span.line, alone.why, alone.was_checked) == (7, "export refuses it: because (GB0170)", True)


@pytest.mark.parametrize(
    ("kind", "detail", "subject", "broken"),
    [
        ("lost-output", "lost at replay", "a warning", {"no-lost-effects"}),
        ("lost-change", "not changed at replay", "attribute `n`", {"no-lost-effects"}),
        ("lost-change", "not changed at replay; from call 2 on the program gives other values", "attribute `n`", {"no-lost-effects", "replays"}),
        ("left-behind", "holds a fake tensor", "attribute `n`", {"no-lost-effects"}),
        ("baked", "the value of the trace is a constant of the program", "the time", {"replays"}),
        ("differs", "at call 1 the program gives other values", "", {"replays"}),
        ("baked", "the program is made for one mode", "`training`", set()),
    ],
)
def test_faults_of_replay(file: str, kind: str, detail: str, subject: str, broken: set[str]) -> None:
    fault = {"kind": kind, "path": file, "line": 5, "function": "forward", "subject": subject, "detail": detail}
    held = judged(file, "replays, no-lost-effects", run(replayed={"faults": {EXPORT: [fault]}, "problems": {}}))
    assert {item.words for item in held if not item.is_kept} == broken
    assert all(item.spot.span.line == 5 for item in held if not item.is_kept)
