"""What several tests need: small files in a folder of their own."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from flake8_program import HEAD


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file into the test's folder: ``write("net.py", text)``. With ``torch=True`` two imports stand before the text."""

    def write_file(name: str, text: str, *, torch: bool = False) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((HEAD if torch else "") + textwrap.dedent(text), encoding="utf-8")
        return path

    return write_file
