"""What functions, classes and names of other files are known to hold."""

from __future__ import annotations

import pytest
from index_support import Tree

HELPERS = """
LIMIT = 3
TABLE = torch.ones(4) > 0
log = __import__("logging").getLogger(__name__)

def mask_of(x):
    return x > 0
def plain(x):
    return x + 1
def pair(x):
    return x.sum(), x.shape[0]
def size(x):
    return x.shape[0]
def maybe(x, wanted=None):
    return wanted if wanted is not None else None
def number(x):
    return x.max().item()
def both(x):
    return {"a": x, "b": len(x)}
"""


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        ("y = x[mask_of(x)]", ["TTR402"]),
        ("y = 1 if plain(x).sum() > 0 else 2", ["TTR101"]),
        ("a, n = pair(x)\n        y = 1 if a else 2", ["TTR101"]),
        ("a, n = pair(x)\n        y = 1 if n else 2", []),
        ("y = 1 if size(x) > 3 else 2", []),
        ("y = 1 if maybe(x) is None else x.item()", []),
        ("y = 1 if number(x) > 3 else 2", []),
        ("y = 1 if both(x)['a'] > 0 else 2", ["TTR101"]),
        ("y = 1 if both(x)['b'] > 0 else 2", []),
        ("y = 1 if LIMIT > 0 else x.item()", ["TTR103"]),
        ("y = 1 if TABLE.any() else 2", ["TTR101"]),
        ("y = x[TABLE]", ["TTR402"]),
    ],
)
def test_results_of_helpers(tree: Tree, line: str, codes: list[str]) -> None:
    net = f"from helpers import *\nclass Net(nn.Module):\n    def forward(self, x):\n        {line}\n        return y\n"
    tree.write({"helpers.py": HELPERS, "net.py": net})
    assert [code for code, _ in tree.found("net.py")] == codes


def test_logger_of_another_file(tree: Tree) -> None:
    tree.write(
        {
            "logs.py": "import logging\nlogger = logging.getLogger('all')\n",
            "net.py": """
            from logs import logger
            class Net(nn.Module):
                def forward(self, x):
                    logger.info("seen")
                    return x
            """,
        }
    )
    assert tree.found("net.py") == [("TTR302", 'logger.info("seen")')]


@pytest.mark.parametrize(
    "imported",
    [
        "from pkg import choose",
        "from pkg.tools import choose",
        "from pkg.tools.masks import select as choose",
        "import pkg\nchoose = pkg.choose",
        "from pkg.everything import choose",
        "from pkg import *",
    ],
)
def test_reexports_lead_to_the_defining_file(tree: Tree, imported: str) -> None:
    tree.write(
        {
            "pkg/__init__.py": "from .tools import *\n",
            "pkg/everything.py": "from pkg.tools import *\n",
            "pkg/tools/__init__.py": "from .masks import select as choose\nfrom . import masks\n",
            "pkg/tools/masks.py": "def select(x):\n    if x.any():\n        return x > 0\n    return x < 0\n",
            "net.py": f"{imported}\nclass Net(nn.Module):\n    def forward(self, x):\n        return x[choose(x)]\n",
        }
    )
    assert tree.found("net.py") == [("TTR402", "return x[choose(x)]")]
    assert tree.found("pkg/tools/masks.py") == [("TTR101", "if x.any():")]


def test_imports_in_a_circle(tree: Tree) -> None:
    tree.write(
        {
            "a.py": """
            from b import thing
            class Net(nn.Module):
                def forward(self, x):
                    return x if thing(x) else -x
            """,
            "b.py": "from a import thing\n",
        }
    )
    assert tree.findings("a.py") == []


def test_tensor_type_by_another_name(tree: Tree) -> None:
    tree.write(
        {
            "types_.py": "from torch import Tensor as Array\nfrom torch.nn import Module as Part\n",
            "net.py": """
            from types_ import Array, Part
            class Net(Part):
                def forward(self, *, n: int, x: Array):
                    return x if x.sum() > n else -x
            """,
        }
    )
    assert [code for code, _ in tree.found("net.py")] == ["TTR101"]


BOUNDS = """
class Bounds:
    def __init__(self, low, high):
        self.low = torch.as_tensor(low)
        self.high = high
    def inside(self, x):
        return (x > self.low) & (x < self.high)
"""


def test_object_of_a_class_of_another_file(tree: Tree) -> None:
    tree.write(
        {
            "bounds.py": BOUNDS,
            "net.py": """
            from bounds import Bounds
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.bounds = Bounds(0, 1)
                def forward(self, x):
                    if self.bounds.low > 0:
                        x = x + 1
                    if self.bounds.inside(x).all():
                        return x
                    return x[self.bounds.inside(x)]
            """,
        }
    )
    assert [code for code, _ in tree.found("net.py")] == ["TTR101", "TTR101", "TTR402"]


def test_object_made_in_the_forward(tree: Tree) -> None:
    tree.write(
        {
            "bounds.py": BOUNDS.replace("self.high = high", "self.high = high.item()"),
            "net.py": """
            from bounds import Bounds
            class Net(nn.Module):
                def forward(self, x):
                    return Bounds(0, x.max()).inside(x)
            """,
        }
    )
    (finding,) = tree.findings("bounds.py")
    assert finding.code == "TTR103"
    assert finding.chain == ("Net.forward (net.py)", "__init__")


def test_result_of_a_submodule_of_another_file(tree: Tree) -> None:
    tree.write(
        {
            "attention.py": """
            class Attention(nn.Module):
                def forward(self, x):
                    weights = x.softmax(-1)
                    return weights @ x, weights
            """,
            "net.py": """
            from attention import Attention
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.layers = nn.ModuleList([Attention() for _ in range(3)])
                    self.last = Attention()
                def forward(self, x):
                    for layer in self.layers:
                        x, weights = layer(x)
                        if weights.max() > 1:
                            break
                    y, _ = self.last(x)
                    return y if y else x
            """,
        }
    )
    assert tree.found("net.py") == [("TTR101", "if weights.max() > 1:"), ("TTR101", "return y if y else x")]


def test_fields_of_an_annotated_class_of_another_file(tree: Tree) -> None:
    tree.write(
        {
            "state.py": """
            from dataclasses import dataclass
            @dataclass
            class State:
                hidden: torch.Tensor
                steps: int = 0
            """,
            "net.py": """
            from state import State
            class Net(nn.Module):
                def forward(self, state: State):
                    if state.steps > 3:
                        return state.hidden
                    return state.hidden if state.hidden.sum() > 0 else None
            """,
        }
    )
    assert [line for _, line in tree.found("net.py")] == ["return state.hidden if state.hidden.sum() > 0 else None"]


def test_static_and_class_methods_of_another_file(tree: Tree) -> None:
    tree.write(
        {
            "tools.py": """
            class Tools:
                @staticmethod
                def mask(x):
                    return x > 0
                @classmethod
                def apply(cls, x):
                    return x[cls.mask(x)]
            """,
            "net.py": """
            from tools import Tools
            class Net(nn.Module):
                def forward(self, x):
                    return Tools.apply(x) + x[Tools.mask(x)]
            """,
        }
    )
    assert tree.found("net.py") == [("TTR402", "return Tools.apply(x) + x[Tools.mask(x)]")]
    assert tree.found("tools.py") == [("TTR402", "return x[cls.mask(x)]")]


def test_number_drawn_in_another_file_still_decides(tree: Tree) -> None:
    tree.write(
        {
            "helpers.py": HELPERS,
            "net.py": """
            from helpers import number, size
            class Net(nn.Module):
                def forward(self, x):
                    return x.new_zeros(number(x)), x.new_zeros(size(x))
            """,
        }
    )
    assert [code for code, _ in tree.found("helpers.py")] == ["TTR103"]


def test_place_of_a_tensor_of_another_file_is_not_given_as_a_line_of_this_one(tree: Tree) -> None:
    tree.write(
        {
            "helpers.py": HELPERS,
            "net.py": """
            from helpers import plain
            class Net(nn.Module):
                def forward(self, x):
                    y = plain(x)
                    return y if y > 0 else x
            """,
        }
    )
    (finding,) = tree.findings("net.py")
    assert "line" not in finding.message


def test_alias_of_a_type_in_another_file(tree: Tree) -> None:
    tree.write(
        {
            "types_.py": "from typing import Optional, Union\nMask = Optional[torch.BoolTensor]\nSize = Union[int, float]\n",
            "net.py": """
            from typing import List
            from types_ import Mask, Size
            Masks = List[Mask]
            class Net(nn.Module):
                def forward(self, *, x: torch.Tensor, mask: Mask, n: Size, masks: Masks):
                    if n > 3:
                        x = x + 1
                    if mask is not None:
                        x = x[mask]
                    return x[masks[0]] if masks[0] is not None else x
            """,
        }
    )
    assert [line for _, line in tree.found("net.py")] == ["x = x[mask]", "return x[masks[0]] if masks[0] is not None else x"]


def test_reexport_in_a_folder_of_plain_files(tree: Tree) -> None:
    masks = "def pick(x):\n    return x {} 0\n"
    tree.write(
        {
            "a/masks.py": masks.format(">"),
            "a/tools.py": "from masks import pick\n",
            "b/masks.py": masks.format("+"),
            "b/net.py": """
            from tools import pick
            class Net(nn.Module):
                def forward(self, x):
                    return x[pick(x)]
            """,
        }
    )
    assert tree.found("b/net.py") == [("TTR402", "return x[pick(x)]")]


def test_annotation_speaks_against_a_tensor_by_convention(tree: Tree) -> None:
    tree.write(
        {
            "net.py": """
            from helpers import shrink
            class Net(nn.Module):
                def forward(self, x, shapes):
                    return shrink(x, shapes), shrink(x, x.sum(0))
            """,
            "helpers.py": """
            def shrink(x, shapes: list[int]):
                for height in shapes:
                    if height > 3:
                        return x
                return x
            """,
        }
    )
    (finding,) = tree.findings("helpers.py")
    assert finding.code == "TTR101"
    tree.write({"net.py": (tree.root / "net.py").read_text().replace("x.sum(0)", "shapes")})
    assert tree.findings("helpers.py") == []


def test_table_of_functions_of_other_files(tree: Tree) -> None:
    names = [f"loss_{number}" for number in range(12)]
    tree.write(
        {
            "losses.py": "".join(f"\ndef {name}(x):\n    return x.item()  # {name}\n" for name in names),
            "table.py": "from losses import *\nLOSSES = {" + ", ".join(f"'{name}': {name}" for name in names) + "}\n",
            "net.py": """
            from table import LOSSES
            class Net(nn.Module):
                def __init__(self, kind):
                    super().__init__()
                    self.kind = kind
                    self.loss = LOSSES[kind]
                def forward(self, x):
                    return self.loss(x) + LOSSES[self.kind](x)
            """,
        }
    )
    assert [line.partition("# ")[2] for _, line in tree.found("losses.py")] == names
