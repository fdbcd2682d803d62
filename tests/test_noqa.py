"""``# noqa`` works on the line where a person puts it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flake8_program import flake8

Write = Callable[..., Path]

LINE = """
class Net(nn.Module):
    def forward(self, x):
        print(x){comment}
        return x
"""
PRINT = (6, "TTR201")


@pytest.mark.parametrize(
    "comment",
    [
        "  # noqa",
        "  # NoQA",
        "  # noqa: TTR201",
        "  # noqa:TTR201",
        "  # noqa: ttr201",
        "  # noqa: E501,TTR201",
        "  # noqa: TTR201, E501",
        "  # noqa: TTR2",
        "  # noqa: TTR201 printing is wanted",
        "  # a word first # noqa: TTR201",
    ],
)
def test_silenced(write: Write, comment: str) -> None:
    path = write("net.py", LINE.format(comment=comment), torch=True)
    assert flake8(path).codes == []
    assert flake8("--disable-noqa", path).codes == [PRINT]


@pytest.mark.parametrize("comment", ["", "  # noqa: TTR103", "  # noqa: E501,TTR1", "  # no qa", "  # quiet: TTR201"])
def test_not_silenced(write: Write, comment: str) -> None:
    assert flake8(write("net.py", LINE.format(comment=comment), torch=True)).codes == [PRINT]


STATEMENT = """
class Net(nn.Module):
    def forward(self, x):
        y = ({first}
            x
            + x.sum().item(){token}
            + 1
        ){last}
        return y
"""
ITEM = (8, "TTR103")
LINES = ("first", "token", "last")


@pytest.mark.parametrize("where", LINES)
@pytest.mark.parametrize("comment", ["  # noqa", "  # noqa: TTR103"])
def test_on_any_of_three_lines_of_a_long_statement(write: Write, where: str, comment: str) -> None:
    comments = dict.fromkeys(LINES, "") | {where: comment}
    path = write("net.py", STATEMENT.format(**comments), torch=True)
    assert flake8(path).codes == []
    assert flake8("--disable-noqa", path).codes == [ITEM]


@pytest.mark.parametrize("where", LINES)
def test_another_code_on_a_long_statement(write: Write, where: str) -> None:
    comments = dict.fromkeys(LINES, "") | {where: "  # noqa: TTR201"}
    assert flake8(write("net.py", STATEMENT.format(**comments), torch=True)).codes == [ITEM]


def test_the_header_of_a_block_is_not_the_block(write: Write) -> None:
    path = write(
        "net.py",
        """
        class Net(nn.Module):
            def forward(self, x):
                if x.sum() > 0:  # noqa
                    print(x)
                return x  # noqa
        """,
        torch=True,
    )
    assert flake8(path).codes == [(7, "TTR201")]


def test_a_whole_file(write: Write) -> None:
    assert flake8(write("net.py", "# flake8: noqa\n" + LINE.format(comment=""), torch=True)).codes == []
