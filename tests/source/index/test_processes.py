"""The index in real runs of flake8, and several of them at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from flake8_program import flake8
from index_support import Tree

from flake8_torchtrace.source.index.lock import locked
from flake8_torchtrace.source.index.update import FOLDER

FILES = {
    "utils/masks.py": """
    def expand(mask, y):
        if mask.any():
            return y[mask]
        return y
    """,
    "net.py": """
    from utils.masks import expand
    class Net(nn.Module):
        def forward(self, x):
            return expand(x > 0, x)
    """,
}
LINES = [("utils/masks.py", 5, "TTR101"), ("utils/masks.py", 6, "TTR402")]
CHAIN = "(Net.forward (net.py) -> expand)"


def _lines(root: Path, *arguments: str | Path, isolated: bool = True) -> list[tuple[str, int, str]]:
    run = flake8(*arguments, folder=root, isolated=isolated)
    return [(item.path.relative_to(root).as_posix(), item.line, item.code) for item in run.reported if CHAIN in item.text]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_through_flake8(tree: Tree, jobs: str) -> None:
    tree.write(FILES)
    assert _lines(tree.root, "--jobs", jobs, ".") == []
    assert _lines(tree.root, "--jobs", jobs, "--torchtrace-project", ".", ".") == LINES
    assert (tree.root / FOLDER / "index.sqlite3").is_file()


def test_from_another_folder_and_one_file_only(tree: Tree) -> None:
    tree.write(FILES)
    run = flake8("--torchtrace-project", tree.root, tree.root / "utils" / "masks.py", folder=tree.root.parent)
    assert run.codes == [(5, "TTR101"), (6, "TTR402")]


def test_from_pyproject(tree: Tree) -> None:
    tree.write(FILES)
    (tree.root / "pyproject.toml").write_text('[tool.torchtrace]\nproject = "."\n')
    assert _lines(tree.root, ".", isolated=False) == LINES


def test_file_outside_of_the_project(tree: Tree, tmp_path: Path) -> None:
    tree.write(FILES)
    outside = tmp_path / "outside.py"
    outside.write_text((tree.root / "net.py").read_text().replace("return", "print(x)\n        return"))
    arguments: list[str | Path] = [outside, "--torchtrace-project", tree.root]
    assert flake8(*arguments, folder=tmp_path).codes == flake8(outside, folder=tmp_path).codes == [(7, "TTR201")]


def test_text_from_standard_input_is_linted_in_place_of_the_file(tree: Tree) -> None:
    tree.write(FILES)
    text = (tree.root / "utils" / "masks.py").read_text().replace("mask.any()", "True")
    arguments = ["--torchtrace-project", ".", "--stdin-display-name", "utils/masks.py", "-"]
    assert flake8(*arguments, folder=tree.root, stdin=text).codes == [(6, "TTR402")]


def test_directory_that_does_not_exist(tree: Tree) -> None:
    tree.write(FILES)
    run = flake8("--torchtrace-project", "nowhere", ".", folder=tree.root)
    assert run.status == 2
    assert run.stdout == ""
    (line,) = [line for line in run.stderr.splitlines() if "torchtrace" in line and "error" in line]
    assert "--torchtrace-project: there is no directory" in line
    assert "nowhere" in line


def test_folder_that_cannot_be_written(tree: Tree) -> None:
    tree.write(FILES)
    (tree.root / FOLDER).write_text("in the way")
    for jobs in ("1", "2"):
        assert _lines(tree.root, "--jobs", jobs, "--torchtrace-project", ".", ".") == LINES


def test_several_runs_at_once(tree: Tree) -> None:
    tree.write(FILES)
    command = [sys.executable, "-m", "flake8", "--isolated", "--select=TTR", "--jobs=1", "--torchtrace-project", ".", "."]
    runs = [subprocess.Popen(command, cwd=tree.root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    results = [run.communicate() for run in runs]
    assert {error for _, error in results} == {""}
    (output,) = {output for output, _ in results}
    assert output.count(CHAIN) == len(LINES)
    assert sorted(path.name for path in (tree.root / FOLDER).iterdir()) == [".gitignore", "index.lock", "index.sqlite3"]


def test_lock_that_another_process_keeps(tmp_path: Path) -> None:
    path = str(tmp_path / "lock")
    with locked(path) as first:
        assert first
        with locked(path, patience=0.1) as second:
            assert not second
    with locked(path) as again:
        assert again
