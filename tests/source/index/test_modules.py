"""Which file a dotted name lies in."""

from __future__ import annotations

import pytest
from index_support import Tree

from flake8_torchtrace.source.index.modules import Modules
from flake8_torchtrace.source.index.naming import NamesProject
from flake8_torchtrace.source.index.scan import source_files


def test_packages_go_by_their_names() -> None:
    modules = Modules([("src/pkg/__init__.py", "pkg"), ("src/pkg/net.py", "pkg.net")])
    assert modules.locate("pkg.net.Net.forward", "") == ("pkg.net", "Net.forward")
    assert modules.locate("pkg.other", "") == ("pkg", "other")
    assert modules.locate("torch.nn", "") is None
    assert not modules.covers("torch.nn")


@pytest.mark.parametrize("name", ["utils.masks.expand", "masks.expand"])
def test_folders_without_init_go_by_path_or_bare_name(name: str) -> None:
    modules = Modules([("utils/masks.py", "masks"), ("net.py", "net")])
    assert modules.locate(name, "net") == ("masks", "expand")


def test_of_files_with_the_same_name_the_nearest_is_meant() -> None:
    modules = Modules([("a/utils.py", "utils"), ("b/utils.py", "utils"), ("a/net.py", "net"), ("b/run.py", "run")])
    assert modules.locate("utils.f", modules.asker("utils.f", "net")) == ("a.utils", "f")
    assert modules.locate("utils.f", modules.asker("utils.f", "run")) == ("b.utils", "f")
    assert modules.locate("b.utils.f", "net") == ("b.utils", "f")
    assert modules.asker("net.Net", "run") == ""


def test_what_is_indexed_and_what_is_not(tree: Tree) -> None:
    kept = ["a.py", "pkg/__init__.py", "pkg/b.py", "pkg/plain/c.py"]
    ignored = [".hidden/x.py", "venv/x.py", "build/x.py", "node_modules/x.py", "other/lib/x.py", "a.txt"]
    tree.write(dict.fromkeys([*kept, *ignored], ""))
    (tree.root / "other" / "pyvenv.cfg").touch()
    files = source_files(str(tree.root))
    assert [file.path for file in files] == kept
    assert [file.name for file in files] == ["a", "pkg", "pkg.b", "c"]


def test_project_that_is_a_package_itself(tree: Tree) -> None:
    tree.write({"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/a.py": ""})
    assert [file.name for file in source_files(str(tree.root / "pkg" / "sub"))] == ["pkg.sub", "pkg.sub.a"]


def test_folder_of_many_packages(tree: Tree) -> None:
    tree.write(
        {
            "first/__init__.py": "",
            "first/tools.py": "def count(x):\n    return x.item()\n",
            "second/__init__.py": "",
            "second/net.py": """
            from first.tools import count
            class Net(nn.Module):
                def forward(self, x):
                    return count(x)
            """,
        }
    )
    assert tree.found("first/tools.py") == [("TTR103", "return x.item()")]


def test_modules_that_import_all_of_each_other_are_gone_through_once(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that none of them has is looked for along every way between them, of which there are more than can be gone."""
    count = 8
    stars = {f"pkg/m{own}.py": "".join(f"from pkg.m{other} import *\n" for other in range(count) if other != own) for own in range(count)}
    for own in range(count):  # and of some that are not there
        stars[f"pkg/m{own}.py"] += "".join(f"from pkg.m{own}.gone{other} import *\n" for other in range(count))
    stars["pkg/m5.py"] += "def known(x):\n    return x.item()\n"
    forward = "    def forward(self, x):\n        y = m0.known(torch.ones(1))\n        return m0.missing(x, y)\n"
    net = f"from pkg import m0\nclass Net(nn.Module):\n{forward}"
    tree.write({**stars, "pkg/__init__.py": "", "net.py": net})
    asked: list[str] = []
    where = NamesProject._where

    def counted(self: NamesProject, dotted: str, module: str) -> tuple[str, str] | None:
        asked.append(dotted)
        assert len(asked) < 5000
        return where(self, dotted, module)

    monkeypatch.setattr(NamesProject, "_where", counted)
    assert [code for code, _ in tree.found("pkg/m5.py")] == ["TTR103"]
    assert tree.found("net.py") == []
