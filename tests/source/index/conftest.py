"""A project for a test."""

from __future__ import annotations

from pathlib import Path

import pytest
from index_support import Tree


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """An empty project."""
    root = tmp_path / "project"
    root.mkdir()
    return Tree(root)
