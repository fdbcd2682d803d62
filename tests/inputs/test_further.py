"""Other ways to build and call a module, for the lines that its first inputs do not come to."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch")
from flake8_torchtrace.inputs.importing import import_file  # noqa: E402
from flake8_torchtrace.inputs.synthesis.further import Further  # noqa: E402
from flake8_torchtrace.inputs.synthesis.search import Search  # noqa: E402

WAYS = Path(__file__).with_name("synthesis_ways.py")


@pytest.fixture(scope="module")
def ways() -> ModuleType:
    return import_file(str(WAYS))


def aim(name: str) -> int:
    """The line marked in the class ``name``."""
    lines = WAYS.read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"class {name}("))
    return 1 + next(number for number, line in enumerate(lines) if number > start and line.endswith("# aim"))


def further(ways: ModuleType, name: str, line: int) -> list[str]:
    cls = getattr(ways, name)
    first = Search(ways, cls, seconds=20.0).run().draft
    assert first is not None
    steps = Further(ways, cls, str(WAYS), WAYS.read_text(), first, 20.0).run([[line, line]])
    return ["; ".join([step.draft.told, *filter(None, step.changes)]) for step in steps]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Trains", "dim=32; x = float32[2, 16, 32]; in training mode"),
        ("TakesMask", "dim=32; x = float32[2, 16, 32], mask = bool[2, 16]"),
        ("Flag", "dim=32, penalty=0.5; x = float32[2, 16, 32]"),
        ("Both", "dim=32, mode='rare'; x = float32[2, 16, 32]; in training mode"),
        ("ByKeyword", "dim=32; x = float32[2, 16, 32], mask = bool[2, 16]"),
    ],
)
def test_a_way_to_the_line(ways: ModuleType, name: str, told: str) -> None:
    assert further(ways, name, aim(name)) == [told]


def test_a_flag_of_a_part(ways: ModuleType) -> None:
    assert further(ways, "Whole", aim("Flag")) == ["dim=32, inner=Flag(dim=32, penalty=0.5); x = float32[2, 16, 32]; Flag(penalty=0.5)"]


def test_none_where_there_is_no_way(ways: ModuleType) -> None:
    assert further(ways, "Never", aim("Never")) == []
