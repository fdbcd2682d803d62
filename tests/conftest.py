"""What several tests need: small files in a folder of their own."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from browsers import installed
from flake8_program import HEAD

HAS_BROWSER = installed() is not None


def pytest_report_header() -> list[str]:
    """Says what is left out."""
    return [] if HAS_BROWSER else ["the tests of the HTML report in a browser are left out: there is no Chromium on this machine"]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that need a browser where there is none, told as deselected."""
    left_out = [] if HAS_BROWSER else [item for item in items if item.get_closest_marker("browser")]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file into the test's folder: ``write("net.py", text)``. With ``torch=True`` two imports stand before the text."""

    def write_file(name: str, text: str, *, torch: bool = False) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((HEAD if torch else "") + textwrap.dedent(text), encoding="utf-8")
        return path

    return write_file
