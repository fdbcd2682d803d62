"""The runs of a module share a process as long as none can change another, and no longer."""

from __future__ import annotations

from pathlib import Path

from offline import offline, shown, verify

SOURCE = """\
import functools, os, sys
{head}
class Net:
    def __call__(self, x):
        return self.forward(x)
    def forward(self, x):
        open({log!r}, "a").write(f"{{os.getpid()}} ")
        {body}
        return x  # here
def make():
    open({log!r}, "a").write("+")
    return Net(), (1,)
"""
DISMISSED = "[dismissed on torch 9.8.7: traced, no break]"


def net(log: Path, body: str = "pass", head: str = "") -> str:
    return SOURCE.format(log=str(log), body=body, head=head)


def processes(log: Path) -> list[int]:
    """How many runs each of the processes did, in turn."""
    pids = log.read_text().replace("+", "").split()
    return [pids.count(pid) for pid in dict.fromkeys(pids)]


def test_one_process_does_all_with_a_module_of_its_own_for_each(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "f.py", net(log))) == [DISMISSED]
    assert processes(log) == [3]
    assert log.read_text().count("+") == 3


def test_after_a_run_that_leaves_something_each_has_a_process(tmp_path: Path) -> None:
    log = tmp_path / "log"
    body = "assert not KEPT; KEPT.append(x)"
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "f.py", net(log, body, "KEPT = []"))) == [DISMISSED]
    assert processes(log) == [1, 1, 1]


def test_the_file_is_imported_once_where_its_runs_need_processes(tmp_path: Path) -> None:
    log, imports = tmp_path / "log", tmp_path / "imports"
    head = f"KEPT = [open({str(imports)!r}, 'a').write('i')]\nNUMBERS = iter([1])"
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "f.py", net(log, head=head))) == [DISMISSED]
    assert (processes(log), imports.read_text()) == ([1, 1, 1], "i")


def test_a_run_that_fails_behind_another_is_done_again_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    head = "if 'made' in sys.modules: raise ValueError\n"
    body = f"if os.environ.get('TARGET') == 'compile' and open({str(log)!r}).read().count('+') == 2: os._exit(9)"
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "f.py", net(log, body, head))) == [DISMISSED]
    assert processes(log) == [2, 1, 1]


def test_a_module_that_can_be_made_once_only(tmp_path: Path) -> None:
    log = tmp_path / "log"
    source = net(log).replace("def make():", "def make():\n    assert not hasattr(sys, 'made'); sys.made = True")
    with offline(tmp_path) as session:
        assert shown(verify(session, tmp_path / "f.py", source)) == [DISMISSED]
    assert processes(log) == [1, 1, 1]
