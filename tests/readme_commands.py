"""The console blocks of the README and what their commands print. ``python tests/readme_commands.py`` writes the output anew."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from flake8_program import ROOT, flake8

README = ROOT / "README.md"
_BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)


def shown() -> list[tuple[str, str]]:
    """Each command of the console blocks with the output shown below it."""
    return [pair for block in _BLOCK.findall(README.read_text(encoding="utf-8")) for pair in _pairs(block)]


def printed(command: str) -> str:
    """What a command of the README really prints."""
    program, *arguments = shlex.split(command)
    assert program == "flake8"
    return flake8(*arguments, select=None, isolated=False).stdout


def _pairs(block: str) -> list[tuple[str, str]]:
    found = re.findall(r"\$ (.*)\n((?:[^$].*\n)*)", block)
    return [(command, output) for command, output in found]


def write(path: Path = README) -> None:
    """Run the commands and put their output into the README."""

    def anew(match: re.Match[str]) -> str:
        return "".join(f"$ {command}\n{printed(command)}" for command, _ in _pairs(match[0]))

    path.write_text(_BLOCK.sub(anew, path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
