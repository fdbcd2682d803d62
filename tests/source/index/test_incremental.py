"""An index brought up to date says what one made afresh says."""

from __future__ import annotations

import shutil

import pytest
from index_support import Tree

from flake8_torchtrace.source.index import evaluate
from flake8_torchtrace.source.index.loaded import Loaded
from flake8_torchtrace.source.index.update import FOLDER

FILES = {
    "pkg/__init__.py": "from .later import *\nfrom .helpers import *\n",
    "pkg/helpers.py": """
    from .deep import dig
    LIMIT = 3
    def pick(x):
        return dig(x) > LIMIT
    def count(x):
        return x.sum()
    """,
    "pkg/deep.py": """
    def dig(x):
        return x * 2
    """,
    "pkg/base.py": """
    from . import pick
    class Base(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(3))
        def forward(self, x):
            return self.hook(x[pick(x)])
        def hook(self, x):
            return x
    """,
    "pkg/net.py": """
    from .base import Base
    from pkg import count
    class Net(Base):
        def hook(self, x):
            return x if count(x) > self.scale else -x
    """,
    "other.py": """
    from pkg.helpers import count
    class Other(nn.Module):
        def forward(self, x, n):
            return count(x) + count(x.shape[0])
    """,
}
EDITS: dict[str, dict[str, str | None]] = {
    "nothing": {},
    "comment": {"pkg/deep.py": FILES["pkg/deep.py"].replace("return", "# twice\n        return")},
    "result": {"pkg/deep.py": "\ndef dig(x):\n    return x.shape[0]\n"},
    "new reach": {"pkg/deep.py": "\nfrom .helpers import count\ndef dig(x):\n    return count(x)\n"},
    "constant": {"pkg/helpers.py": FILES["pkg/helpers.py"].replace("LIMIT = 3", "LIMIT = torch.ones(2)")},
    "base attribute": {"pkg/base.py": FILES["pkg/base.py"].replace("nn.Parameter(torch.ones(3))", "3")},
    "base gone": {"pkg/base.py": None},
    "override gone": {"pkg/net.py": "\nfrom .base import Base\nclass Net(Base):\n    pass\n"},
    "root gone": {"other.py": None},
    "reexport gone": {"pkg/__init__.py": ""},
    "shadowing file": {"pkg/count.py": "\ndef count(x):\n    return 0\n"},
    "does not parse": {"pkg/helpers.py": "def ("},
    "missing stars come": {"pkg/later.py": "\ndef count(x):\n    return x.shape[0]\ndef pick(x):\n    return x.item()\n"},
    "moved": {"pkg/deep.py": None, "pkg/deep/__init__.py": FILES["pkg/deep.py"]},
    "new top": {"fresh/__init__.py": "", "fresh/a.py": "from pkg.helpers import count\n"},
    "name taken twice": {"sub/other.py": "\ndef f(x):\n    return x\n"},
}


def _apply(tree: Tree, edit: dict[str, str | None]) -> None:
    for name, text in edit.items():
        if text is None:
            (tree.root / name).unlink()
        else:
            tree.write({name: text})


@pytest.mark.parametrize("name", EDITS)
def test_update_after_an_edit_and_after_taking_it_back(tree: Tree, name: str) -> None:
    tree.write(FILES)
    entries, answers = tree.entries(), tree.answers()
    assert len(entries) > 3
    _apply(tree, EDITS[name])
    updated = tree.entries(), tree.answers()
    shutil.rmtree(tree.root / FOLDER)
    # An update may keep answers that nobody needs for now.
    assert updated[0] == tree.entries()
    assert updated[1] >= tree.answers()
    _apply(tree, {**dict.fromkeys(set(EDITS[name]) - set(FILES)), **FILES})
    assert tree.entries() == entries
    assert tree.answers() >= answers


def test_edit_that_changes_no_answer_asks_no_caller_again(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    tree.write(FILES)
    before = tree.answers()
    roots: list[str] = []
    run = evaluate.roots

    def counted(loaded: Loaded, methods: tuple[str, ...]) -> int:
        roots.append(loaded.it.model.module)
        return run(loaded, methods)

    monkeypatch.setattr(evaluate, "roots", counted)
    _apply(tree, EDITS["comment"])
    assert tree.answers() == before
    assert roots == []
