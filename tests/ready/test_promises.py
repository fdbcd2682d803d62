"""What people write is read as they mean it, and mistakes are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from flake8_torchtrace.pyproject import ConfigError
from flake8_torchtrace.ready.promises import Promise, PromiseError, Promises, from_text, from_value
from flake8_torchtrace.ready.table import Entry, chosen, prefix, read_entries

EXPORT_READY = {Promise.EXPORT, Promise.REPLAYS, Promise.NO_LOST_EFFECTS, Promise.PORTABLE}
FILE = Path("pyproject.toml")


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ("export-ready", EXPORT_READY),
        ("fullgraph", {Promise.FULLGRAPH}),
        ("fullgraph, export-ready", {Promise.FULLGRAPH, *EXPORT_READY}),
        (["fullgraph", "export-strict"], {Promise.FULLGRAPH, Promise.EXPORT_STRICT}),
        (("dynamic",), {Promise.DYNAMIC}),
        ([], set()),
        ({"promises": "export"}, {Promise.EXPORT}),
        ({"max-breaks": 2}, {Promise.MAX_BREAKS}),
        ({"dynamic": {"x": {"0": {"min": 2, "max": 8}}}}, {Promise.DYNAMIC}),
    ],
)
def test_what_is_promised(value: Any, made: set[Promise]) -> None:
    assert from_value(value).made == made


def test_numbers_and_conditions() -> None:
    found = from_value({
        "promises": ["fullgraph", "max-recompiles = 1"], "max-breaks": 2, "modes": ["eval", "train"], "dtypes": "float16", "batches": 3,
        "dynamic": {"x": {"0": {"min": 2, "max": 8, "name": "b"}}},
    })  # fmt: skip
    assert [found.words(promise) for promise in found.ordered] == ["fullgraph", "dynamic", "max-breaks=2", "max-recompiles=1"]
    assert (found.modes, found.dtypes, found.batches) == (("eval", "train"), ("float16",), (3,))
    assert found.dynamic == (("x", ((0, (("max", 8), ("min", 2), ("name", "b"))),)),)


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("exportready", "there is no promise 'exportready'; did you mean export-ready?"),
        ("nonsense", "there is no promise 'nonsense'; known: fullgraph, export,"),
        ("", "there is no promise ''"),
        ("export,,fullgraph=1", "there is no promise with a number 'fullgraph'"),
        ("max-breaks", "max-breaks needs a number: max-breaks=2"),
        ("max-breaks=-1", "max-breaks must be a number of at least 0, not '-1'"),
        ({"max-breaks": True}, "max-breaks must be a number of at least 0, not True"),
        ({"max-breaks": 1.5}, "max-breaks must be a number of at least 0, not 1.5"),
        ({"promise": "export"}, "there is no key 'promise'; did you mean promises?"),
        ({"promises": {}}, "promises must be a string or a list of strings"),
        ({"modes": ["test"]}, "there is no mode 'test'"),
        ({"modes": 1}, "modes must be a list of strings, not 1"),
        ({"batches": [0]}, "batches must be a list of sizes of at least 1, not [0]"),
        ({"dynamic": {}}, "dynamic must name an argument"),
        ({"dynamic": {"x": {"first": {}}}}, "dynamic x.first: a dimension is a number from 0"),
        ({"dynamic": {"x": {"0": 3}}}, "dynamic x.0: bounds are written"),
        ({"dynamic": {"x": {"0": {"min": 8, "max": 2}}}}, "dynamic x.0: min 8 is not below max 2"),
        ({"dynamic": {"x": {"0": {"least": 2}}}}, "there is no bound 'least'"),
        (3, "promises must be a string, a list of strings or a table, not 3"),
        (["export", 3], "promises must be a string, a list of strings or a table"),
    ],
)
def test_mistakes(value: Any, why: str) -> None:
    with pytest.raises(PromiseError) as caught:
        from_value(value)
    assert str(caught.value).startswith(why)


def test_two_declarations_hold_together() -> None:
    both = from_text("fullgraph, max-breaks=3") | from_text("export, max-breaks=1")
    assert [both.words(promise) for promise in both.ordered] == ["fullgraph", "export", "max-breaks=1"]
    with pytest.raises(PromiseError, match="different dynamic dimensions"):
        from_value({"dynamic": {"x": {"0": {"min": 2}}}}) | from_value({"dynamic": {"x": {"0": {"min": 3}}}})


def test_names_without_quotes_are_names_too() -> None:
    table = {"pkg": {"model": {"Net": "export", "Big": {"max-breaks": 2}}}, "pkg.blocks.*": []}
    assert [entry.pattern for entry in read_entries(table, FILE)] == ["pkg.model.Net", "pkg.model.Big", "pkg.blocks.*"]


@pytest.mark.parametrize(
    ("table", "why"),
    [
        ({"Net": "export"}, "[tool.torchtrace.ready] Net: which module is the class in? write package.module.Net"),
        ({"pkg/model.py": "export"}, "'pkg/model.py' is not a dotted name"),
        ({"pkg.Net": "exports"}, "[tool.torchtrace.ready] pkg.Net: there is no promise 'exports'; did you mean export?"),
        ({"pkg.Net": 1}, "promises must be a string"),
        ("export", "must be a table of class names"),
    ],
)
def test_mistakes_in_the_table(table: Any, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_entries(table, FILE)
    assert why in str(caught.value)
    assert str(caught.value).startswith("pyproject.toml: ")


def test_the_most_exact_entry_counts() -> None:
    entries = [Entry(pattern, Promises(), "") for pattern in ("pkg.*", "pkg.model.Net", "pkg.model.*", "other.Net")]

    def pattern(*names: str) -> str | None:
        found = chosen(entries, names)
        return None if found is None else found.pattern

    assert pattern("pkg.model.Net") == "pkg.model.Net"
    assert pattern("pkg.model.Other") == "pkg.model.*"
    assert pattern("pkg.deep.model.Net") == "pkg.*"
    assert pattern("third.Net", "other.Net") == "other.Net"
    assert pattern("third.Net") is None
    assert [prefix(text) for text in ("pkg.*", "pkg.model.N?t", "*.Net", "pkg.Net")] == ["pkg", "pkg.model", "", "pkg.Net"]
