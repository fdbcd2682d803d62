"""Promises are added to pyproject.toml, and nothing else in it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from flake8_torchtrace.ready.section import added, lines, write
from flake8_torchtrace.usage import UsageError

PROMISES = {"pkg.Net": ("export",), "pkg.Big": ("fullgraph", "max-breaks=2")}
LINES = '"pkg.Net" = "export"\n"pkg.Big" = ["fullgraph", "max-breaks=2"]\n'
SECTION = f"[tool.torchtrace.ready]\n{LINES}"


def test_lines() -> None:
    assert lines(PROMISES) == LINES
    assert lines({"pkg.Net": ("export",)}, {"pkg.Net"}) == '"pkg.Net" = { promises = "export", inputs = "synthesised" }\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", SECTION),
        ("# mine\n[project]\nname = 'x'\n", f"# mine\n[project]\nname = 'x'\n\n{SECTION}"),
        ("[project]\nname = 'x'", f"[project]\nname = 'x'\n\n{SECTION}"),
        ("[tool.torchtrace.ready]\n", SECTION),
        ("[tool.torchtrace.ready]", SECTION),
        ('[ tool . torchtrace.ready ] # ours\n"a.B" = "export" # now\n', f'[ tool . torchtrace.ready ] # ours\n"a.B" = "export" # now\n{LINES}'),
        ('[tool.torchtrace.ready]\n"a.B" = "export"\n\n# next\n[x]\n', f'[tool.torchtrace.ready]\n"a.B" = "export"\n{LINES}\n# next\n[x]\n'),
        ('[tool.torchtrace.ready]\n# none yet\n[x]\n', f"[tool.torchtrace.ready]\n{LINES}# none yet\n[x]\n"),
        ("[tool.torchtrace]\npossible = true\n", f"[tool.torchtrace]\npossible = true\n\n{SECTION}"),
    ],
)
def test_where_they_go(before: str, after: str) -> None:
    assert added(before, LINES) == after


@pytest.mark.parametrize("before", ['[tool]\ntorchtrace = {possible = true}\n', '[tool.torchtrace]\nready = {"a.B" = "export"}\n'])
def test_a_file_that_cannot_be_added_to_is_left_alone(tmp_path: Path, before: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(before)
    with pytest.raises(UsageError, match="put in yourself what is printed"):
        write(file, LINES)
    assert file.read_text() == before


def test_ends_of_lines_stay(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_bytes(b"[project]\r\nname = 'x'\r\n")
    write(file, '"pkg.Net" = "export"\n')
    assert file.read_bytes() == b"[project]\r\nname = 'x'\r\n\r\n[tool.torchtrace.ready]\r\n\"pkg.Net\" = \"export\"\r\n"
