"""What torch said is asked once, for as long as nothing changes that it rests on."""

from __future__ import annotations

import multiprocessing
import sqlite3
import textwrap
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest
from offline import offline, shown, starts, verify

from flake8_torchtrace.verify import VerifySettings, facts
from flake8_torchtrace.verify.store import Store
from flake8_torchtrace.verify.touched import merged

NET = """
import os
import torch
{before}

class Net:
    def __call__(self, x):
        return x + 1  # here

def make():
    {inside}
    return Net(), (1,)
"""



def net(before: str = "", inside: str = "pass") -> str:
    return textwrap.dedent(NET).format(before=before, inside=inside)


def _made(path: Path) -> Path:
    path.mkdir(exist_ok=True)
    return path


def ask(folder: Path, source: str | None = None, name: str = "net.py", **settings: object) -> tuple[list[str], bool]:
    """The verdicts on a file in a session of its own, and whether its server was started."""
    session_folder = folder / f"session{len(list(folder.glob('session*')))}"
    session_folder.mkdir()
    project = folder / "project"
    same_code = mock.patch.object(facts, "of_code", return_value="")  # the stand-in for torch differs from session to session
    with same_code, offline(session_folder, store=str(project / ".torchtrace"), **settings) as session:  # type: ignore[arg-type]
        if source is not None:
            write(name, source)(_made(project))
        session.warm(str(project / name), (project / name).read_text())
        found = verify(session, project / name)
        return [*shown(found), *found.notes], bool(starts(session_folder))


def test_a_second_run_asks_no_torch(tmp_path: Path) -> None:
    first = ask(tmp_path, net())
    assert first == (["[dismissed on torch 9.8.7: traced, no break]"], True)
    assert ask(tmp_path) == (first[0], False)
    assert (tmp_path / "project" / ".torchtrace" / ".gitignore").read_text() == "*\n"


def test_without_a_store_nothing_is_kept(tmp_path: Path) -> None:
    for number in range(2):
        folder = tmp_path / str(number)
        folder.mkdir()
        with offline(folder) as session:
            verify(session, tmp_path / "net.py", net())
            assert len(starts(folder)) == 1
    assert not list(tmp_path.rglob("*.sqlite3"))


Change = Callable[[Path], None]


def write(name: str, text: str) -> Change:
    def change(project: Path) -> None:
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text(text)

    return change


USES_HELPER = net("from helper import VALUE")
READS = net(inside="open(os.path.join(os.path.dirname(__file__), 'data.txt')).read()")

TRIES = net("try:\n    import optional\nexcept ImportError:\n    optional = None")
TRIES_FILE = net(inside="\n    try:\n        open(__file__ + '.cfg')\n    except OSError:\n        pass")
PACKAGE = net("import pkg.part")


@pytest.mark.parametrize(
    ("source", "before", "after"),
    [
        (net(), [], write("net.py", net() + "\n# more\n")),
        (USES_HELPER, [write("helper.py", "VALUE = 1\n")], write("helper.py", "VALUE = 2\n")),
        (USES_HELPER, [], write("helper.py", "VALUE = 2\n")),
        (USES_HELPER, [write("helper.py", "import far\nVALUE = far.VALUE\n"), write("far.py", "VALUE = 1\n")], write("far.py", "VALUE = 2\n")),
        (READS, [write("data.txt", "1")], write("data.txt", "2")),
        (TRIES, [], write("optional.py", "")),
        (TRIES, [], write("optional/__init__.py", "")),
        (TRIES_FILE, [], write("net.py.cfg", "")),
        (PACKAGE, [write("pkg/__init__.py", ""), write("pkg/part.py", "")], write("pkg/part.py", "x = 1\n")),
        (PACKAGE, [write("pkg/__init__.py", ""), write("pkg/part.py", "")], write("pkg/__init__.py", "x = 1\n")),
    ],
    ids=[
        "source", "helper", "helper appears", "helper of a helper", "data", "optional module", "optional package", "optional file",
        "module of a package", "package",
    ],
)  # fmt: skip
def test_what_a_run_touched_counts(tmp_path: Path, source: str, before: list[Change], after: Change) -> None:
    project = tmp_path / "project"
    project.mkdir()
    for change in before:
        change(project)
    write("net.py", source)(project)
    first = ask(tmp_path)
    assert first[1]
    assert ask(tmp_path) == (first[0], False)
    after(project)
    assert ask(tmp_path)[1]


def test_a_file_that_no_run_touched_does_not_count(tmp_path: Path) -> None:
    ask(tmp_path, USES_HELPER.replace("from helper", "from helper"))
    write("other.py", "VALUE = 1\n")(tmp_path / "project")
    assert not ask(tmp_path)[1]


def test_going_back_to_an_older_text_asks_no_torch(tmp_path: Path) -> None:
    for text in (net(), net("VALUE = 2")):
        assert ask(tmp_path, text)[1]
    assert not ask(tmp_path, net())[1]


def test_targets_and_the_environment_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(tmp_path, net())
    assert ask(tmp_path, targets=VerifySettings().targets)[1]
    assert not ask(tmp_path, timeout=20.0)[1]
    monkeypatch.setenv("TORCHDYNAMO_SOMETHING", "1")
    assert ask(tmp_path)[1]


def test_recipes_count(tmp_path: Path) -> None:
    recipes = tmp_path / "project" / "recipes.py"
    recipes.parent.mkdir()
    recipes.write_text("def net():\n    from net import Net\n    return Net(), (1,)\nRECIPES = {'net.py:Net': net}\n")
    source = net().replace("def make", "def other")
    first = ask(tmp_path, source, recipes=str(recipes))
    assert first[1]
    assert ask(tmp_path, recipes=str(recipes)) == (first[0], False)
    recipes.write_text(recipes.read_text().replace("(1,)", "(2,)"))
    assert ask(tmp_path, recipes=str(recipes))[1]


@pytest.mark.parametrize("inside", ["os._exit(3)", "os.kill(os.getpid(), 9)", "__import__('time').sleep(60)"])
def test_how_a_process_ended_is_not_kept(tmp_path: Path, inside: str) -> None:
    for source in (net(inside=inside), None):
        verdicts, is_started = ask(tmp_path, source, timeout=1.0)
        assert "unverified" in verdicts[0]
        assert is_started


def test_what_goes_wrong_in_the_code_itself_is_kept(tmp_path: Path) -> None:
    first = ask(tmp_path, net(inside="raise ValueError('no')"))
    assert "ValueError: no" in first[0][0]
    assert ask(tmp_path) == (first[0], False)


def _garbage(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def _overwritten(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    path.write_bytes(data)


def _other_columns(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE answer_1 (key, other)")


@pytest.mark.parametrize("damage", [_garbage, _cut, _overwritten, _other_columns])
def test_a_damaged_file_is_set_aside(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    first = ask(tmp_path, net())
    path = tmp_path / "project" / ".torchtrace" / "verdicts.sqlite3"
    damage(path)
    damaged = path.read_bytes()
    assert ask(tmp_path) == (first[0], True)
    assert path.with_name("verdicts.sqlite3.damaged").read_bytes() == damaged
    assert ask(tmp_path) == (first[0], False)


@pytest.mark.parametrize("column", ["value", "digests", "key", "start"])
def test_a_row_that_was_altered_is_not_believed(tmp_path: Path, column: str) -> None:
    first = ask(tmp_path, net())
    with sqlite3.connect(tmp_path / "project" / ".torchtrace" / "verdicts.sqlite3") as connection:
        connection.execute(f"UPDATE answer_1 SET {column} = {column} || ' '")
    assert ask(tmp_path) == (first[0], True)


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    write(".torchtrace", "a file")(_made(tmp_path / "project"))
    for source in (net(), None):
        assert ask(tmp_path, source) == (["[dismissed on torch 9.8.7: traced, no break]"], True)
    store = Store(str(tmp_path / "project" / ".torchtrace"))
    store.open()
    assert store.problem.startswith("verdicts are not kept: ")


def _fill(folder: str, number: int) -> None:
    store = Store(folder)
    for index in range(50):
        store.add(f"key{number}-{index}", "start", f"net{number}-{index}.py", {}, {"number": number})


def test_several_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = str(tmp_path / ".torchtrace")
    workers = [multiprocessing.Process(target=_fill, args=(folder, number)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    store = Store(folder)
    found = [store.find(f"key{number}-{index}") for number in range(4) for index in range(50)]
    assert found == [{"number": number} for number in range(4) for _ in range(50)]


def test_it_does_not_grow_for_ever(tmp_path: Path) -> None:
    store = Store(str(tmp_path))
    for number in range(40):
        store.add(f"key{number}", "start", "net.py", {}, {})
    kept = [number for number in range(40) if store.find(f"key{number}") is not None]
    assert kept == list(range(32, 40))


def test_which_files_rest_on_a_file(tmp_path: Path) -> None:
    write("helper.py", "VALUE = 1\n")(_made(tmp_path / "project"))
    ask(tmp_path, USES_HELPER)
    ask(tmp_path, net(), name="other.py")
    store = Store(str(tmp_path / "project" / ".torchtrace"))
    assert store.paths_touching([str(tmp_path / "project" / "helper.py")]) == {str(tmp_path / "project" / "net.py")}


def test_what_is_of_no_one_file_is_told_with_one(tmp_path: Path) -> None:
    """Also where one file's answer comes from the store."""
    drift = ("this torch is other than it should be",)
    ask(tmp_path, net(), drift=drift)
    verdicts = ask(tmp_path, drift=drift)[0]
    assert verdicts[1:] == list(drift)
    session_folder = _made(tmp_path / "both")
    store = str(tmp_path / "project" / ".torchtrace")
    with mock.patch.object(facts, "of_code", return_value=""), offline(session_folder, drift, store=store) as session:
        notes = [verify(session, tmp_path / "project" / name, net()).notes for name in ("net.py", "new.py")]
    assert notes == [drift, ()]


def test_runs_that_do_not_agree_have_nothing_in_common() -> None:
    assert merged([{"a": "1"}, {"a": "1", "b": "2"}]) == {"a": "1", "b": "2"}
    assert merged([{"a": "1"}, {"a": "2"}]) is None
    assert merged([{"a": "1"}, None]) is None
