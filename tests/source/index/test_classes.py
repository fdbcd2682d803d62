"""Classes whose bases, attributes and methods lie in other files."""

from __future__ import annotations

import pytest
from index_support import Tree

BASE = """
class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(3) > 0)
        self.scale = 2.0
        self.count = 3
    def forward(self, x):
        return self.hook(x * self.scale)
    def hook(self, x):
        return x
    def helper(self, t):
        return t.item()
"""


def test_class_with_a_base_in_another_file_is_a_module(tree: Tree) -> None:
    tree.write(
        {
            "base.py": BASE,
            "net.py": """
            # no torch
            from base import Base
            class Net(Base):
                def forward(self, x):
                    if x.sum() > 0:
                        return x
                    return -x
            """,
        }
    )
    assert tree.found("net.py") == [("TTR101", "if x.sum() > 0:")]


def test_override_that_the_forward_of_the_base_calls(tree: Tree) -> None:
    tree.write(
        {
            "lib/base.py": BASE,
            "net.py": """
            # no torch
            from lib.base import Base
            class Net(Base):
                def hook(self, y):
                    if y.sum() > self.count:
                        return y
                    return -y
                def unused(self, y):
                    return y.item()
            """,
        }
    )
    (finding,) = tree.findings("net.py")
    assert finding.code == "TTR101"
    assert finding.owner == "Net"
    assert finding.chain == ("Base.forward (lib/base.py)", "hook")


def test_two_levels_of_bases(tree: Tree) -> None:
    tree.write(
        {
            "base.py": BASE,
            "middle.py": """
            # no torch
            from base import Base
            class Middle(Base):
                def hook(self, x):
                    return self.inner(x)
                def inner(self, x):
                    return x
            """,
            "net.py": """
            # no torch
            from middle import Middle
            class Net(Middle):
                def inner(self, z):
                    return z[self.mask]
            """,
        }
    )
    (finding,) = tree.findings("net.py")
    assert finding.code == "TTR402"
    assert finding.chain == ("Base.forward (base.py)", "hook", "inner")


def test_attributes_that_the_base_sets(tree: Tree) -> None:
    tree.write(
        {
            "base.py": BASE,
            "net.py": """
            # no torch
            from base import Base
            class Net(Base):
                def forward(self, x):
                    if self.count > 2:
                        x = x + 1
                    if self.mask.all():
                        x = x + 1
                    return x[self.mask]
            """,
        }
    )
    assert tree.found("net.py") == [("TTR101", "if self.mask.all():"), ("TTR402", "return x[self.mask]")]


def test_method_of_the_base_called_from_the_subclass(tree: Tree) -> None:
    tree.write(
        {
            "base.py": BASE,
            "net.py": """
            # no torch
            from base import Base
            class Net(Base):
                def forward(self, x):
                    return x * self.helper(x.max())
            """,
        }
    )
    (finding,) = tree.findings("base.py")
    assert finding.code == "TTR103"
    assert finding.chain == ("Net.forward (net.py)", "helper")


def test_super_into_another_file_and_back(tree: Tree) -> None:
    tree.write(
        {
            "base.py": """
            class Base(nn.Module):
                def forward(self, x):
                    return self.finish(x)
                def finish(self, x):
                    return x
            """,
            "net.py": """
            # no torch
            from base import Base
            class Net(Base):
                def forward(self, x, y):
                    return super().forward(x) + y
                def finish(self, x):
                    return x.tolist()
            """,
        }
    )
    assert tree.found("net.py") == [("TTR107", "return x.tolist()")]


def test_mixin_in_a_third_file(tree: Tree) -> None:
    tree.write(
        {
            "mixin.py": """
            # no torch
            class Mixin:
                def score(self, x):
                    return bool(x.sum() > self.limit)
            """,
            "base.py": """
            class Base(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.limit = 3
                def forward(self, x):
                    return self.score(x)
            """,
            "net.py": """
            # no torch
            from base import Base
            from mixin import Mixin
            class Net(Mixin, Base):
                pass
            """,
        }
    )
    (finding,) = tree.findings("mixin.py")
    assert (finding.code, finding.owner) == ("TTR102", "Net")


def test_property_of_a_base_in_another_file(tree: Tree) -> None:
    tree.write(
        {
            "base.py": """
            class Base(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.weight = nn.Parameter(torch.ones(3))
                @property
                def scale(self):
                    return self.weight.abs().mean()
            """,
            "net.py": """
            # no torch
            from base import Base
            class Net(Base):
                def forward(self, x):
                    return x if self.scale > 0 else -x
            """,
        }
    )
    assert tree.found("net.py") == [("TTR101", "return x if self.scale > 0 else -x")]


def test_subclass_of_a_torch_module_in_another_file(tree: Tree) -> None:
    tree.write(
        {
            "layers.py": """
            class Scaled(nn.Linear):
                pass
            """,
            "net.py": """
            # no torch
            from layers import Scaled
            class Net(Scaled):
                def forward(self, x):
                    y = super().forward(x)
                    if y.isnan().any():
                        return x
                    return y if self.weight.sum() > 0 else x
            """,
        }
    )
    assert [code for code, _ in tree.found("net.py")] == ["TTR101", "TTR101"]


def test_class_that_is_no_module_is_left_alone(tree: Tree) -> None:
    tree.write(
        {
            "base.py": """
            # no torch
            class Reader:
                def read(self, x):
                    return x
            """,
            "net.py": """
            from base import Reader
            class Loader(Reader):
                def load(self, x):
                    if x.sum() > 0:
                        print(x)
            """,
        }
    )
    assert tree.findings("net.py") == []


def test_bases_that_contradict_or_contain_each_other(tree: Tree) -> None:
    tree.write(
        {
            "a.py": """
            from b import B
            class A(B):
                def forward(self, x):
                    return x.item()
            """,
            "b.py": """
            from a import A
            class B(A):
                pass
            """,
        }
    )
    assert tree.found("a.py") == [("TTR103", "return x.item()")]


def test_method_that_the_base_keeps_in_an_attribute(tree: Tree) -> None:
    tree.write(
        {
            "base.py": """
            class Base(nn.Module):
                def __init__(self, dense=True):
                    super().__init__()
                    self.method = self.dense if dense else self.sparse
                def forward(self, x):
                    return self.method(x)
                def dense(self, x):
                    return self.compute(x)
                def sparse(self, x):
                    return x
                def compute(self, x):
                    return x
            """,
            "net.py": """
            # no torch
            from base import Base
            class Net(Base):
                def compute(self, x):
                    return x if x.any() else -x
            """,
        }
    )
    (finding,) = tree.findings("net.py")
    assert finding.chain == ("Base.forward (base.py)", "dense", "compute")


@pytest.mark.parametrize(("base", "is_traced"), [("Stage", False), ("ABC, Generic[int]", False), ("lightning.LightningModule", True)])
def test_forward_of_a_class_all_whose_bases_are_known_and_none_a_module(tree: Tree, base: str, is_traced: bool) -> None:
    tree.write({
        "stage.py": "# no torch\nfrom abc import ABC\nclass Stage(ABC):\n    def __call__(self, x):\n        return self.forward(x)\n",
        "helper.py": "def told(x):\n    print('seen')\n    return x\n",
        "run.py": f"""
        from abc import ABC
        from typing import Generic
        import lightning
        from stage import Stage
        from helper import told
        class Runner({base}):
            def forward(self, x):
                return told(x)
        """,
    })  # fmt: skip
    assert (tree.found("helper.py") != []) is is_traced
