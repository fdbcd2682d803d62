"""One server for a whole flake8 run, gone when the run is."""

from __future__ import annotations

import multiprocessing
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from offline import eventually, is_alive, offline, shown, starts, verify
from test_hostile_code import DISMISSED, UNHURT, net

from flake8_torchtrace.model import Outcome
from flake8_torchtrace.verify import Session, VerifySettings


def test_making_a_session_starts_nothing(tmp_path: Path) -> None:
    with offline(tmp_path):
        assert starts(tmp_path) == []


@pytest.mark.parametrize(("source", "number"), [("import torch\n" + UNHURT, 1), ("import torch\n\n\nclass Net(torch.nn.Module):\n    pass\n", 0)])
def test_torch_is_imported_while_a_file_with_inputs_is_linted(tmp_path: Path, source: str, number: int) -> None:
    with offline(tmp_path) as session:
        session.warm(str(tmp_path / "net.py"), source)
        assert eventually(lambda: len(starts(tmp_path)) == number)
        verify(session, tmp_path / "net.py", source)
        assert len(starts(tmp_path)) == number


def test_torch_is_not_imported_for_a_file_without_inputs(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        assert all("no inputs for" in text for text in shown(verify(session, tmp_path / "net.py", "def helper(x):\n    return x\n")))
        assert starts(tmp_path) == []


def test_the_directory_is_private_and_removed(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        verify(session, tmp_path / "net.py", UNHURT)
        assert stat.S_IMODE(os.stat(session.directory).st_mode) == 0o700
        (pid,) = starts(tmp_path)
    assert not os.path.exists(session.directory)
    assert eventually(lambda: not is_alive(pid))


def _worker(session: Session | None, path: str) -> list[str]:
    (used,) = [session] if session is not None else Session.attach()
    text = shown(verify(used, Path(path)))
    used.close()  # must not end the session of the main process
    return text


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_many_processes_share_one_server(tmp_path: Path, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    paths = [tmp_path / f"net{number}.py" for number in range(6)]
    for path in paths:
        path.write_text(UNHURT)
    context = multiprocessing.get_context(method)
    with offline(tmp_path) as session:
        # A fork inherits the session; a spawned worker finds it through the environment. The stand-in package does not
        # travel to spawned workers, so the main process starts the server for them.
        inherited = session if method == "fork" else None
        if inherited is None:
            verify(session, paths[0])
        with context.Pool(4) as pool:
            found = pool.starmap(_worker, [(None, str(path)) for path in paths])
        assert found == [[DISMISSED]] * 6
        assert len(starts(tmp_path)) == 1


def test_no_more_children_at_once_than_jobs(tmp_path: Path) -> None:
    log = tmp_path / "log"
    body = f"[open({str(log)!r}, 'a').write(mark) and time.sleep(0.05) for mark in '+-']"
    with offline(tmp_path, jobs=1) as session:
        assert shown(verify(session, tmp_path / "net.py", net(body))) == [DISMISSED]
    assert log.read_text() == "+-" * 3


MAIN = """
import os, sys
from pathlib import Path
from offline import offline, verify
directory = Path(sys.argv[1])
with offline(directory, timeout=600.0) as session:
    (directory / "session").write_text(session.directory)
    verify(session, directory / "hangs.py")
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_the_main_process(tmp_path: Path, number: signal.Signals) -> None:
    child = tmp_path / "child"
    (tmp_path / "hangs.py").write_text(net(f"open({str(child)!r}, 'w').write(f'{{os.getpid()}} '); time.sleep(600)"))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    main = subprocess.Popen([sys.executable, "-c", MAIN, str(tmp_path)], env=environment, stderr=subprocess.DEVNULL)
    assert eventually(lambda: child.exists() and child.read_text().endswith(" "))
    pids = [*starts(tmp_path), int(child.read_text())]
    assert [is_alive(pid) for pid in pids] == [True, True]
    main.send_signal(number)
    # Not waited for: the server must notice a main process that nobody reaps.
    assert eventually(lambda: not any(is_alive(pid) for pid in pids))
    assert eventually(lambda: not os.path.exists((tmp_path / "session").read_text()))
    main.wait()


def test_drift_of_the_seams_is_a_note(tmp_path: Path) -> None:
    with offline(tmp_path, drift=("torch 9.8.7 has no GraphCompileReason",)) as session:
        found = verify(session, tmp_path / "net.py", UNHURT)
    assert found.torch == "9.8.7"
    assert found.notes == ("torch 9.8.7 has no GraphCompileReason",)


BROKEN_PREWARM = """
def prewarm():
    {body}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "raise ModuleNotFoundError('No module named torch', name='torch')",
            f"torch is not installed in {sys.executable}: pip install 'flake8-torchtrace[verify]'",
        ),
        (
            "raise OSError('libtorch.so: no such file')",
            f"importing torch failed in {sys.executable}: OSError: libtorch.so: no such file",
        ),
        ("os._exit(1)", f"the verification server ended while importing torch in {sys.executable}"),
        (
            "print('no licence'); sys.stdout.flush(); os._exit(1)",
            f"the verification server ended while importing torch in {sys.executable}: no licence",
        ),
        ("sys.exit('no licence')", f"importing torch failed in {sys.executable}: SystemExit: no licence"),
    ],
)
def test_torch_that_cannot_be_had(tmp_path: Path, body: str, expected: str) -> None:
    with offline(tmp_path, tracing=BROKEN_PREWARM.format(body=body)) as session:
        for name in ("one.py", "two.py"):
            found = verify(session, tmp_path / name, UNHURT)
            assert found.torch == ""
            assert shown(found) == [f"[unverified: {expected}]"]


def test_an_interpreter_that_is_not_there(tmp_path: Path) -> None:
    with offline(tmp_path, python=str(tmp_path / "python")) as session:
        found = verify(session, tmp_path / "net.py", UNHURT)
    assert shown(found) == [f"[unverified: cannot start {tmp_path / 'python'}: No such file or directory]"]


def test_an_interpreter_that_is_none(tmp_path: Path) -> None:
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\necho 'I am no Python' >&2\n")
    fake.chmod(0o755)
    with offline(tmp_path, python=str(fake)) as session:
        found = verify(session, tmp_path / "net.py", UNHURT)
    assert shown(found) == [f"[unverified: the verification server did not start in {fake}: I am no Python]"]


def test_text_that_is_not_on_disk(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        verify(session, tmp_path / "net.py", UNHURT)
        path, changed = tmp_path / "net.py", UNHURT.replace("x + 1", "x + 2")
        found = [session.verify(str(name), changed, []) for name in (path, tmp_path / "none.py", "stdin")]
    assert all(verification.torch == "" for verification in found)


def test_no_inputs_says_how_to_give_them(tmp_path: Path) -> None:
    with offline(tmp_path) as session:
        found = verify(session, tmp_path / "net.py", UNHURT.replace("def make", "def build"))
    assert shown(found) == ["[unverified: no inputs for Net (how: make() or example_inputs() in this file, or a recipe)]"]


def test_a_socket_path_too_long_for_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(deep))
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "net.py", UNHURT)) == [DISMISSED]


def test_a_system_without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flake8_torchtrace.verify.session._CAN_FORK", False)
    session = Session(VerifySettings())
    found = session.verify(__file__, "", [])
    session.close()
    assert found.verdicts == ()
    assert found.torch == ""


def test_verdicts_keep_the_order_of_the_findings(tmp_path: Path) -> None:
    source = UNHURT.replace("pass", "z = y  # here").replace("return self.forward(x)", "return self.forward(x)  # here")
    path = tmp_path / "net.py"
    with offline(tmp_path) as session:
        found = verify(session, path, source)
    assert [finding.span.line for finding, _ in found.verdicts] == [4, 6, 7]
    assert {verdict.outcome for _, verdict in found.verdicts} == {Outcome.DISMISSED}
