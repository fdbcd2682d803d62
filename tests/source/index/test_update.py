"""The index follows the files, and is rebuilt when it cannot be believed."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from index_support import Tree

from flake8_torchtrace.source.index.update import FOLDER, update

FILES = {
    "helpers.py": "def pick(x):\n    return x > 0\n",
    "net.py": """
    from helpers import pick
    class Net(nn.Module):
        def forward(self, x):
            return x[pick(x)]
    """,
}
FOUND = [("TTR402", "return x[pick(x)]")]
UNMASKED = "def pick(x):\n    return 0\n"


@pytest.fixture
def indexed(tree: Tree) -> Tree:
    tree.write(FILES)
    assert tree.found("net.py") == FOUND
    return tree


def test_edit_of_a_helper_is_seen_in_its_callers(indexed: Tree) -> None:
    indexed.write({"helpers.py": UNMASKED})
    assert indexed.found("net.py") == []
    indexed.write({"helpers.py": FILES["helpers.py"]})
    assert indexed.found("net.py") == FOUND


def test_edit_of_a_caller_is_seen_in_its_helpers(indexed: Tree) -> None:
    indexed.write({"helpers.py": "def pick(x):\n    return 1 if x > 0 else 0\n"})
    assert indexed.found("helpers.py") == [("TTR101", "return 1 if x > 0 else 0")]
    indexed.write({"net.py": "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"})
    assert indexed.found("helpers.py") == []


def test_removed_file_is_forgotten(indexed: Tree) -> None:
    (indexed.root / "helpers.py").unlink()
    assert indexed.found("net.py") == []


def test_added_file_is_found(tree: Tree) -> None:
    tree.write({"net.py": FILES["net.py"]})
    assert tree.found("net.py") == []
    tree.write({"helpers.py": FILES["helpers.py"]})
    assert tree.found("net.py") == FOUND


def test_renamed_file_is_found_under_its_new_name(indexed: Tree) -> None:
    (indexed.root / "helpers.py").rename(indexed.root / "tools.py")
    assert indexed.found("net.py") == []
    indexed.write({"net.py": FILES["net.py"].replace("helpers", "tools")})
    assert indexed.found("net.py") == FOUND


def test_new_content_of_the_same_size_and_time_is_noticed(indexed: Tree) -> None:
    path = indexed.root / "helpers.py"
    before = path.stat()
    path.write_text(path.read_text().replace("x > 0", "x + 0"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size
    assert indexed.found("net.py") == []


def test_nothing_is_written_when_nothing_changed(indexed: Tree) -> None:
    path = indexed.index()
    before = path.stat()
    os.utime(indexed.root / "net.py")
    assert indexed.index().stat().st_ino == before.st_ino


def test_file_that_does_not_parse_is_passed_over_until_it_does(indexed: Tree) -> None:
    indexed.write({"helpers.py": "def pick(x:\n"})
    assert indexed.found("net.py") == []
    indexed.write(FILES)
    assert indexed.found("net.py") == FOUND


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _garble(path: Path) -> None:
    path.write_bytes(b"not a database" * 1000)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _spoil_pages(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[4096:12288] = b"\xff" * 8192
    path.write_bytes(data)


def _set_meta(key: str, value: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE meta SET value = ? WHERE key = ?", (value, key))
            connection.execute("UPDATE question SET value = 'null'")
        connection.close()

    return change


def _drop_table(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE question")
    connection.close()


@pytest.mark.parametrize(
    "damage",
    [
        _truncate,
        _garble,
        _empty,
        _spoil_pages,
        _drop_table,
        _set_meta("schema", "0"),
        _set_meta("version", "0.0"),
        _set_meta("python", "2.7"),
        Path.unlink,
    ],
)
def test_damaged_or_foreign_index_is_rebuilt(indexed: Tree, damage: Callable[[Path], None]) -> None:
    damage(indexed.index())
    assert indexed.found("net.py") == FOUND


def test_other_entry_points_make_another_index(tree: Tree) -> None:
    tree.write({"helpers.py": "def pick(x):\n    return x.item()\n"})
    tree.write({"net.py": FILES["net.py"].replace("forward", "encode")})
    index = Path(update(str(tree.root), ()))
    assert _entries(index) == 0
    assert _entries(Path(update(str(tree.root), ("encode",)))) == 1
    assert _entries(Path(update(str(tree.root), ()))) == 0


def _entries(path: Path) -> int:
    with sqlite3.connect(path) as connection:
        (count,) = connection.execute("SELECT count(*) FROM entry").fetchone()
    connection.close()
    return int(count)


def test_folder_that_cannot_be_written(tree: Tree, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    tree.write(FILES)
    (tree.root / FOLDER).write_text("a file where the folder should be")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    path = tree.index()
    assert path.parent.parent == tmp_path
    assert tree.found("net.py") == FOUND


def test_indexing_imports_and_runs_nothing(tree: Tree) -> None:
    tree.write({**FILES, "bad.py": "raise SystemExit('executed')\n"})
    code = (
        "import sys; from flake8_torchtrace.source.index.update import update; "
        f"update({str(tree.root)!r}, ()); print([name for name in ('torch', 'libcst', 'helpers', 'net', 'bad') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
