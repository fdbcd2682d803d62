"""The line on a terminal that says how far an audit is."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from test_audit import LIKELY

from flake8_torchtrace.audit.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def outside_of_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "60")


def progress(stream: io.StringIO, is_quiet: bool = False) -> str:
    shown = Progress(2, is_quiet, stream)
    shown.step("net.py", 3)
    shown.step("a" * 200, 0)
    shown.close()
    return stream.getvalue()


def test_on_a_terminal_it_stays_on_one_line() -> None:
    text = progress(Terminal())
    first, last, nothing = text.split("\r\x1b[K")[1:]
    assert first == "[##########..........] 1/2 files, 3 findings  net.py"
    assert last.startswith("[####################] 2/2 files, 3 findings  aaa")
    assert len(last) == 59
    assert nothing == ""
    assert "\n" not in text


def test_it_is_silent_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert progress(io.StringIO()) == ""
    assert progress(Terminal(), is_quiet=True) == ""
    monkeypatch.setenv("CI", "true")
    assert progress(Terminal()) == ""


def test_findings_do_not_wrap_on_a_narrow_terminal(write: Callable[..., Path]) -> None:
    folder = write("net.py", LIKELY, torch=True).parent
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "flake8_torchtrace", "audit", "--isolated", "."]
    running = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=theirs, env={**os.environ, "COLUMNS": "40"}, text=True)
    os.close(theirs)
    stdout, _ = running.communicate(timeout=60)
    seen = os.read(ours, 10_000).decode()
    os.close(ours)
    assert len(stdout.splitlines()) == 1
    assert "\r" not in stdout
    assert "1/1 files" in seen
    assert seen.rstrip().endswith("1 file checked: 1 likely; 1 at or above likely")
