"""Rewritten code does what it did, and passes by the places when a tracer runs it."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from flake8_torchtrace.tracing import known  # noqa: E402
from flake8_torchtrace.tracing.detour import NoDetourError, Place, rewritten  # noqa: E402


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing recorded before and after."""
    for store in (known._recorded, known._forms, known._turns):
        store.clear()
    known.tracing = False
    yield
    known.tracing = False


def place(source: str, text: str, whole: bool = False, is_cut: bool = False) -> Place:
    """The place of the first ``text``; ``is_cut``: its end is not known."""
    line, column = next((at, row.index(text)) for at, row in enumerate(source.split("\n"), 1) if text in row)
    return Place("f.py", line, column, None if is_cut else column + len(text), whole)


def both(source: str, *places: Place, given: Any = ()) -> tuple[Any, Any, list[str]]:
    """What ``f`` returns when it is recorded and when it is traced, and what it called ``refused`` with meanwhile."""
    calls: list[str] = []

    def refused(what: Any = None) -> Any:
        calls.append("traced" if known.tracing else "recorded")
        return what

    names: dict[str, Any] = {"refused": refused, "torch": torch}
    exec(compile(rewritten(source, places), "f.py", "exec"), names)
    recorded = names["f"](*given)
    known.freeze()
    return recorded, names["f"](*given), calls


def check(source: str, text: str, *, whole: bool = False, is_cut: bool = False, given: Any = ()) -> Any:
    """The result of a function that gives the same traced as recorded, without calling ``refused`` when it is traced."""
    source = textwrap.dedent(source)
    recorded, traced, calls = both(source, place(source, text, whole, is_cut), given=given)
    assert recorded == traced
    assert set(calls) == {"recorded"}
    return recorded


def test_an_expression_is_left_out_and_the_rest_stays() -> None:
    assert check("def f():\n    return 1 + refused(2) * 3\n", "refused(2)") == 7


def test_each_turn_of_a_loop_gets_its_own_value() -> None:
    assert check("def f():\n    return [refused(n) + 1 for n in range(4)]\n", "refused(n)") == [1, 2, 3, 4]


def test_a_test_decides_as_it_did() -> None:
    source = "def f():\n    n = 0\n    while refused(n < 3) and n < 9:\n        n += 1\n    return n\n"
    assert check(source, "refused(n < 3)") == 3


def test_a_test_of_a_tensor_becomes_its_truth() -> None:
    source = "def f(x):\n    return 'yes' if x.sum() > 0 else 'no'\n"
    recorded, traced, _ = both(source, place(source, "x.sum() > 0"), given=(torch.ones(2),))
    assert (recorded, traced) == ("yes", "yes")


def test_tensors_come_back_without_their_data() -> None:
    source = "def f(x):\n    y = (x + 1, [x.long()], {'x': x})\n    return y\n"
    _, (one, (two,), three), _ = both(source, place(source, "(x + 1, [x.long()], {'x': x})"), given=(torch.ones(2, 3),))
    for tensor, dtype in ((one, torch.float32), (two, torch.int64), (three["x"], torch.float32)):
        assert (tuple(tensor.shape), tensor.dtype, tensor.sum().item()) == ((2, 3), dtype, 0)


def test_what_is_iterated_is_recorded_as_far_as_it_is_asked_for() -> None:
    source = """
        def f():
            seen = []
            for n in refused(iter(lambda: len(seen), None)):
                seen.append(n)
                if n == 2:
                    break
            return seen
    """
    assert check(source, "refused(iter(lambda: len(seen), None))") == [0, 1, 2]


@pytest.mark.parametrize(
    "statement",
    [
        "n = refused(1)",
        "n: int = refused(1)",
        "n += refused(1)",
        "n, (m, n) = refused((1, (2, 3)))",
        "n = m = refused(2)",
        "assert refused(True), refused()",
        "def n(a=refused(1)): return a",
        "refused()",
    ],
)
def test_a_whole_statement_is_left_out_and_its_names_stay(statement: str) -> None:
    check(f"def f():\n    n = 0\n    {statement}\n    return n\n", statement, whole=True)


def test_an_import_is_left_out_and_its_name_stays() -> None:
    source = "def f():\n    import os.path as p, os\n    return p, os\n"
    recorded, traced, _ = both(source, place(source, "import", True))
    assert recorded == traced


def test_a_class_statement_is_left_out() -> None:
    source = "def f():\n    class A:\n        n = refused(3)\n    return A.n\n"
    recorded, traced, calls = both(source, place(source, "class A:", True))
    assert (recorded, traced, calls) == (3, 3, ["recorded"])


def test_a_value_put_into_something_is_left_out_with_its_statement() -> None:
    source = "def f(x):\n    x[0] = refused(5)\n    return len(x)\n"
    recorded, traced, calls = both(source, place(source, "x[0]"), given=([1],))
    assert (recorded, traced, calls) == (1, 1, ["recorded"])


def test_a_context_manager_is_left_out_and_its_block_stays() -> None:
    source = """
        import contextlib
        def f():
            with refused(contextlib.nullcontext(4)) as n:
                m = n + 1
            return m
    """
    assert check(source, "refused(contextlib.nullcontext(4))") == 5


@pytest.mark.parametrize("statement", ["return refused(3)", "if refused(True): return 3"])
def test_the_head_of_a_statement_is_left_out(statement: str) -> None:
    assert check(f"def f():\n    {statement}\n", statement, whole=True) == 3


def test_an_expression_over_several_lines_is_found_by_its_start() -> None:
    source = """
        def f():
            return (
                refused(
                    2
                ).real
                + 1
            )
    """
    assert check(source, "refused(", is_cut=True) == 3


def test_several_places_in_one_file() -> None:
    source = "def f():\n    a = refused(1)\n    b = refused(2)\n    return a + b\n"
    recorded, traced, calls = both(source, place(source, "refused(1)"), place(source, "refused(2)"))
    assert (recorded, traced, calls) == (3, 3, ["recorded", "recorded"])


def test_columns_count_characters() -> None:
    assert check("def f():\n    return 'ä' * 2 + refused('ö')\n", "refused('ö')") == "ääö"


def test_a_file_with_docstring_and_future_import_is_rewritten() -> None:
    source = '"""What it is."""\nfrom __future__ import annotations\ndef f(n: Unknown = 1):\n    return refused(n)\n'
    assert check(source, "refused(n)") == 1


@pytest.mark.parametrize("line", [3, 9])
def test_there_is_no_way_around_a_raise(line: int) -> None:
    source = "def f():\n    n = 0\n    raise ValueError(n)\n"
    with pytest.raises(NoDetourError):
        rewritten(source, [Place("f.py", line, None, None, True)])


def test_lines_and_columns_stay() -> None:
    source = "def f():\n    a = (refused(1)\n         + 2)\n    return a\n"
    tree = rewritten(source, [place(source, "refused(1)")])
    found = {(node.lineno, node.col_offset) for node in ast.walk(tree) if isinstance(node, ast.Constant) and node.value == 2}
    assert found == {(3, 11)}


@pytest.mark.parametrize("character", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028"])
def test_a_place_is_found_behind_characters_that_end_no_line_in_python(character: str) -> None:
    assert check(f"TEXT = 'a{character}b'\ndef f():\n    é = 1; return refused(2) + é\n", "refused(2)") == 3


def test_the_guard_of_a_case_is_left_out() -> None:
    source = """
    def f(x):
        match x:
            case 1 if refused(x):
                return 10
            case _ if x == 2:
                y = 20
            case _:
                y = 30
        return y
    """
    assert check(source, "refused(x)", given=(1,)) == 10


@pytest.mark.parametrize("text", ["(n := refused(2)) and refused(n)", "{m for t in (1,) if (m := refused(t))}"])
def test_there_is_no_detour_around_an_expression_that_binds_a_name(text: str) -> None:
    source = f"def f():\n    if {text}:\n        return 1\n"
    with pytest.raises(NoDetourError):
        rewritten(source, [place(source, text)])


def test_where_a_comprehension_begins_only_what_it_goes_through_is_left_out() -> None:
    assert check("def f():\n    return [n + 1 for n in refused([1, 2])]\n", "[n + 1 for n in refused([1, 2])]") == [2, 3]
