"""A refused run is repeated around what it refused, and the runs are put together."""

from __future__ import annotations

import asyncio
from typing import Any

from judging import LIBRARY, PATH, frame, observation, result

from flake8_torchtrace.verify.rounds import MOST_ROUNDS, all_refusals

SPEC = {"do": "target", "target": "fullgraph"}


def refusal(line: int, column: int | None = 4, **other: Any) -> dict[str, Any]:
    return observation(frame(line, column, None if column is None else column + 3), kind="refusal", **other)


def refused(*lines: int, at: int, **other: Any) -> dict[str, Any]:
    """A run that passed ``lines`` and was refused at the line ``at``."""
    plain = result("refused", refusal(at, **other))
    return {**plain, "traced": {PATH: list(lines)}, "abandoned": {}, "points": {PATH: [[line, 0, line, 9] for line in lines]}}


def accepted(*lines: int) -> dict[str, Any]:
    return {**result("ok"), "traced": {PATH: list(lines)}, "abandoned": {}, "points": {PATH: [[line, 0, line, 9] for line in lines]}}


def played(*runs: dict[str, Any], is_left: Any = lambda found: True) -> tuple[dict[str, Any], list[list[tuple[int, bool]]]]:
    """The result when the runs give these one after the other, and the places (line, whole) each was to pass by."""
    asked: list[list[tuple[int, bool]]] = []

    async def run(spec: dict[str, Any]) -> dict[str, Any]:
        asked.append([(place["line"], place["whole"]) for place in spec.get("around", ())])
        answer = runs[min(len(asked), len(runs)) - 1]
        return answer if "ok" in answer else {"ok": True, "value": answer}

    reply = asyncio.run(all_refusals(SPEC, run, PATH.__eq__, is_left))
    return reply["value"], asked


def seen(found: dict[str, Any]) -> list[int]:
    return [item["stack"][-1]["line"] for item in found["observations"]]


def test_each_refusal_is_passed_by_until_the_end() -> None:
    found, asked = played(refused(1, 2, at=2), refused(1, 2, 3, 5, at=5), accepted(1, 2, 3, 5, 6))
    assert asked == [[], [(2, False)], [(2, False), (5, False)]]
    assert (found["status"], found["is_complete"], seen(found)) == ("refused", True, [2, 5])
    assert found["traced"] == {PATH: [1, 2, 3, 5, 6]}
    assert found["left_out"] == {}
    assert {tuple(point) for point in found["points"][PATH]} == {(line, 0, line, 9) for line in (1, 2, 3, 5, 6)}


def test_one_run_is_enough_where_nothing_is_left() -> None:
    found, asked = played(refused(1, 2, at=2), is_left=lambda found: False)
    assert (found["is_complete"], asked) == (False, [[]])


def test_an_accepted_run_is_complete() -> None:
    found, asked = played(accepted(1, 2))
    assert (found["is_complete"], found["status"], asked) == (True, "ok", [[]])


def test_a_place_passed_by_in_vain_is_left_out_with_its_statement_and_then_given_up() -> None:
    found, asked = played(refused(1, at=1))
    assert asked == [[], [(1, False)], [(1, True)]]
    assert (found["is_complete"], seen(found)) == (False, [1])


def test_without_columns_the_statement_is_left_out() -> None:
    found, asked = played(refused(1, at=1, column=None), accepted(1))
    assert asked == [[], [(1, True)]]
    assert found["left_out"] == {PATH: [1]}


def test_the_innermost_watched_frame_is_passed_by() -> None:
    inside = observation(frame(3, 4, 9), frame(7, 1, path=LIBRARY), kind="refusal")
    _, asked = played({**refused(3, at=3), "observations": [inside]}, accepted(3))
    assert asked == [[], [(3, False)]]


def test_a_refusal_without_a_watched_frame_ends_it() -> None:
    elsewhere = observation(frame(7, 1, path=LIBRARY), kind="refusal")
    found, asked = played({**refused(3, at=3), "observations": [elsewhere]})
    assert (found["is_complete"], asked) == (False, [[]])


def test_an_error_that_the_detour_may_have_made_counts_for_nothing() -> None:
    for wrong in (
        refused(1, 2, 3, at=3, family="unclassified"),
        refused(1, 2, 3, at=3, family="exception"),
        {**refused(1, 2, 3, at=3), "observations": [observation(kind="refusal")]},
        {**accepted(1, 2, 3), "status": "unusable"},
        {"ok": False, "reason": "took longer than the limit"},
    ):
        found, _ = played(refused(1, 2, at=2), wrong)
        assert (found["is_complete"], seen(found), found["traced"]) == (False, [2], {PATH: [1, 2]})


def test_it_ends_after_a_number_of_rounds() -> None:
    runs = [refused(line, at=line) for line in range(1, 99)]
    found, asked = played(*runs)
    assert (len(asked), found["is_complete"]) == (1 + MOST_ROUNDS, False)


def test_what_a_crashed_compile_gave_up_counts_if_a_later_one_followed_it() -> None:
    crash = {**refused(1, 2, 3, at=3), "status": "crashed", "abandoned": {PATH: [2, 3]}, "graphs": 0}
    later = {**accepted(1, 2, 3, 4), "status": "broke", "abandoned": {PATH: [3]}, "graphs": 2}
    found, _ = played(crash, later)
    assert (found["status"], found["graphs"]) == ("crashed", 2)
    assert (found["traced"], found["abandoned"]) == ({PATH: [1, 2, 3, 4]}, {PATH: [3]})
