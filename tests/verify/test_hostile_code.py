"""Code that hangs, dies, floods or lies is a reason for `unverified` and touches nothing else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from offline import eventually, is_alive, offline, shown, starts, verify

HEAD = """\
import os, signal, subprocess, sys, threading, time
class Net:
    def __call__(self, x):
        return self.forward(x)
    def forward(self, x):
        y = x + 1  # here
        {body}
        return y
def make():
    return Net(), (1,)
"""
DISMISSED = "[dismissed on torch 9.8.7: traced, no break]"
UNHURT = HEAD.format(body="pass")
UNDER_TEST = "[unverified: the code under test "


def net(body: str) -> str:
    """A module whose forward does ``body`` after the line with the finding."""
    return HEAD.format(body=body)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("time.sleep(600)", f"{UNDER_TEST}took longer than the limit of 1 s]"),
        (
            "print('so far'); time.sleep(600)",
            f"{UNDER_TEST}took longer than the limit of 1 s; its last output: so far]",
        ),
        ("os.kill(os.getpid(), signal.SIGSTOP)", f"{UNDER_TEST}took longer than the limit of 1 s]"),
        ("os._exit(0)", f"{UNDER_TEST}ended its process with exit status 0]"),
        ("os._exit(3)", f"{UNDER_TEST}ended its process with exit status 3]"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", f"{UNDER_TEST}was ended by signal SIGSEGV]"),
        ("sys.exit(4)", "[unverified: eager call of Net failed: SystemExit: 4]"),
        ("raise KeyboardInterrupt", "[unverified: eager call of Net failed: KeyboardInterrupt: ]"),
        ("raise ValueError('bad shape')", "[unverified: eager call of Net failed: ValueError: bad shape]"),
    ],
)
def test_the_reason_is_told_and_the_next_file_is_fine(tmp_path: Path, body: str, expected: str) -> None:
    with offline(tmp_path, timeout=1.0) as session:
        assert shown(verify(session, tmp_path / "bad.py", net(body))) == [expected]
        assert shown(verify(session, tmp_path / "good.py", UNHURT)) == [DISMISSED]
        assert len(starts(tmp_path)) == 1


def test_a_target_that_dies_leaves_the_other_targets_alone(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        found = verify(session, tmp_path / "bad.py", net("os.environ.get('TARGET') == 'fullgraph' and os._exit(3)"))
    assert shown(found) == ["[unverified: fullgraph: the code under test ended its process with exit status 3; compile: traced, no break]"]


def test_a_flood_of_output_is_swallowed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    flood = "os.write(1, b'x' * 50_000_000); os.write(2, b'x' * 50_000_000); print('y')"
    with offline(tmp_path, timeout=60.0) as session:
        assert shown(verify(session, tmp_path / "flood.py", net(flood))) == [DISMISSED]
        assert sum(file.stat().st_size for file in Path(session.directory).iterdir() if file.is_file()) < 10_000
    assert capfd.readouterr() == ("", "")


def test_only_the_end_of_a_flood_is_told(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        found = verify(session, tmp_path / "flood.py", net("os.write(2, b'x' * 10**7 + b'\\nthe end'); os._exit(9)"))
    assert shown(found) == [f"{UNDER_TEST}ended its process with exit status 9; its last output: the end]"]


@pytest.mark.parametrize(
    "body",
    [
        "os.fork()",
        "sys.stdout.close()",
        "sys.stdout = None",
        "[os.close(1), os.close(2)]",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
        "threading.Thread(target=time.sleep, args=(600,)).start()",
        "subprocess.Popen(['sleep', '600'])",
        "os.chdir('/')",
    ],
)
def test_odd_but_finished_code_has_its_verdict(tmp_path: Path, body: str) -> None:
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "odd.py", net(body))) == [DISMISSED]


def test_a_child_reads_no_input(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "asks.py", net("assert sys.stdin.read() == ''"))) == [DISMISSED]


def test_a_process_left_behind_is_ended(tmp_path: Path) -> None:
    leave = f"open({str(tmp_path / 'pids')!r}, 'a').write(str(subprocess.Popen(['sleep', '600']).pid) + '\\n')"
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "leaves.py", net(leave))) == [DISMISSED]
        left = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
        assert len(left) == 3  # eager and two targets
        assert eventually(lambda: not any(is_alive(pid) for pid in left))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt orphans")
def test_a_daemon_is_ended_too(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    start = f"subprocess.run(['sh', '-c', 'setsid sleep 600 & echo $! >> {pids}'], check=True)"
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "daemon.py", net(start))) == [DISMISSED]
        left = [int(pid) for pid in pids.read_text().split()]
        assert len(left) == 3
        assert eventually(lambda: not any(is_alive(pid) for pid in left))


def test_code_that_kills_the_server_loses_only_its_own_verdict(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        killed = verify(session, tmp_path / "kills.py", net("os.kill(os.getppid(), signal.SIGKILL); time.sleep(600)"))
        assert shown(killed) == ["[unverified: the verification server ended unexpectedly]"]
        assert shown(verify(session, tmp_path / "good.py", UNHURT)) == [DISMISSED]
        assert [is_alive(pid) for pid in starts(tmp_path)] == [False, False, True]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "raise RuntimeError('no such machine')\n",
            "import of bad.py failed: RuntimeError: no such machine (bad.py:1)",
        ),
        ("import os\nos._exit(7)\n", "the code under test ended its process with exit status 7"),
        ("import sys\nsys.exit('bye')\n", "import of bad.py failed: sys.exit('bye') (bad.py:2)"),
        (
            "import no_such_library\n",
            "import of bad.py failed: ModuleNotFoundError: No module named 'no_such_library' (bad.py:1)",
        ),
    ],
)
def test_a_file_that_cannot_be_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, expected: str) -> None:
    monkeypatch.chdir(tmp_path)
    with offline(tmp_path) as session:
        found = verify(session, tmp_path / "bad.py", source + UNHURT)
    assert shown(found) == [f"[unverified: {expected}]"]


def test_a_file_named_like_the_standard_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the server nor the child may take a project's files for Python's own, nor the other way round."""
    monkeypatch.chdir(tmp_path)
    for name in ("socket", "types", "json", "asyncio", "queue"):
        (tmp_path / f"{name}.py").write_text("raise AssertionError('not this one')\n")
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "queue.py", UNHURT)) == [DISMISSED]
        assert shown(verify(session, tmp_path / "types.py", UNHURT)) == [DISMISSED]


def test_children_share_nothing(tmp_path: Path) -> None:
    source = net("assert not os.environ.get('SEEN'); os.environ['SEEN'] = '1'")
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "net.py", source)) == [DISMISSED]
    assert "SEEN" not in os.environ
