"""Helpers in other files are traced when a forward calls them."""

from __future__ import annotations

from index_support import Tree

MASKS = """
def expand(mask, y):
    if mask.any():
        return y
    return y * 2
"""
NET = """
from utils.masks import expand
class Net(nn.Module):
    def forward(self, x):
        return self._mask(x)
    def _mask(self, x):
        return expand(x > 0, x)
"""


def test_helper_in_another_file(tree: Tree) -> None:
    tree.write({"utils/masks.py": MASKS, "models/net.py": NET})
    (finding,) = tree.findings("utils/masks.py")
    assert finding.code == "TTR101"
    assert finding.owner == "Net"
    assert finding.chain == ("Net.forward (models/net.py)", "_mask", "expand")
    assert "(Net.forward (models/net.py) -> _mask -> expand)" in finding.message


def test_helper_that_no_forward_calls_is_seen_as_it_is_without_an_index(tree: Tree) -> None:
    tree.write({"utils/masks.py": MASKS, "models/net.py": NET.replace("return expand(x > 0, x)", "return x")})
    (finding,) = tree.findings("utils/masks.py")
    assert (finding.chain, finding.owner) == (("expand",), None)


def test_helper_in_a_package(tree: Tree) -> None:
    net = NET.replace("from utils.masks import", "from ..utils.masks import")
    tree.write({"pkg/__init__.py": "#", "pkg/utils/__init__.py": "#", "pkg/utils/masks.py": MASKS, "pkg/models/__init__.py": "#"})
    tree.write({"pkg/models/net.py": net})
    assert tree.found("pkg/utils/masks.py") == [("TTR101", "if mask.any():")]


def test_module_imported_whole(tree: Tree) -> None:
    net = NET.replace("from utils.masks import expand", "import utils.masks as masks").replace("return expand(", "return masks.expand(")
    tree.write({"utils/masks.py": MASKS, "models/net.py": net})
    assert tree.found("utils/masks.py") == [("TTR101", "if mask.any():")]


def test_over_three_files(tree: Tree) -> None:
    tree.write(
        {
            "a.py": """
            from b import middle
            class Net(nn.Module):
                def forward(self, x):
                    return middle(x, 3)
            """,
            "b.py": """
            from c import last
            def middle(x, n):
                return last(x * n)
            """,
            "c.py": """
            def last(z):
                return z.item()
            """,
        }
    )
    (finding,) = tree.findings("c.py")
    assert finding.code == "TTR103"
    assert finding.chain == ("Net.forward (a.py)", "middle", "last")


def test_only_the_values_that_callers_pass_count(tree: Tree) -> None:
    tree.write(
        {
            "net.py": """
            from helpers import scale
            class Net(nn.Module):
                def forward(self, x):
                    return scale(x, x.shape[0])
            """,
            "helpers.py": """
            def scale(x, n):
                if n > 3:
                    return x
                if x.sum() > 3:
                    return x
                return x / n
            """,
        }
    )
    assert tree.found("helpers.py") == [("TTR101", "if x.sum() > 3:")]


def test_several_callers_are_all_heard(tree: Tree) -> None:
    tree.write(
        {
            "net.py": """
            from helpers import pick
            class Numbers(nn.Module):
                def forward(self, x):
                    return pick(x, 3)
            class Tensors(nn.Module):
                def forward(self, x):
                    return pick(x, x.mean())
            """,
            "helpers.py": """
            def pick(x, limit):
                return x if limit > 2 else -x
            """,
        }
    )
    (finding,) = tree.findings("helpers.py")
    assert (finding.code, finding.owner) == ("TTR101", "Tensors")


def test_compiled_function_is_an_entry_too(tree: Tree) -> None:
    tree.write(
        {
            "run.py": """
            from helpers import total
            @torch.compile
            def step(x):
                return total(x + 1)
            """,
            "helpers.py": """
            def total(x):
                return x.sum().item()
            """,
        }
    )
    (finding,) = tree.findings("helpers.py")
    assert finding.chain == ("step (run.py)", "total")
    assert finding.owner is None


def test_submodule_of_another_file(tree: Tree) -> None:
    tree.write(
        {
            "net.py": """
            from gate import Gate
            class Net(nn.Module):
                def __init__(self):
                    super().__init__()
                    self.gate = Gate(3)
                def forward(self, x):
                    return self.gate(x, flags=x > 0)
            """,
            "gate.py": """
            class Gate(nn.Module):
                def forward(self, x, flags=False):
                    return x[flags]
            """,
        }
    )
    (finding,) = tree.findings("gate.py")
    assert finding.code == "TTR402"
    assert finding.chain == ("Net.forward (net.py)", "Gate.forward")


def test_guard_helper_in_another_file(tree: Tree) -> None:
    tree.write(
        {
            "utils.py": """
            def is_tracing():
                return torch.compiler.is_compiling()
            def not_tracing():
                return not is_tracing()
            """,
            "net.py": """
            from utils import is_tracing, not_tracing
            class Net(nn.Module):
                def forward(self, x):
                    if not is_tracing():
                        print(x)
                    if not_tracing():
                        print(x)
                    if is_tracing():
                        print("seen")
                    return x
            """,
        }
    )
    assert tree.found("net.py") == [("TTR201", 'print("seen")')]


def test_island_in_another_file_is_reported_at_the_call_and_not_entered(tree: Tree) -> None:
    tree.write(
        {
            "helpers.py": """
            @torch.compiler.disable
            def count(x):
                return x.sum().item()
            """,
            "net.py": """
            from helpers import count
            class Net(nn.Module):
                def forward(self, x):
                    return x * count(x)
            """,
        }
    )
    assert tree.findings("helpers.py") == []
    assert tree.found("net.py") == [("TTR618", "return x * count(x)")]


def test_renamed_island_decorator(tree: Tree) -> None:
    tree.write(
        {
            "compat.py": "from torch.compiler import disable as no_compile\n",
            "helpers.py": """
            from compat import no_compile
            @no_compile
            def count(x):
                return x.sum().item()
            """,
            "net.py": """
            from helpers import count
            class Net(nn.Module):
                def forward(self, x):
                    return x * count(x)
            """,
        }
    )
    assert tree.findings("helpers.py") == []
    assert tree.found("net.py") == [("TTR618", "return x * count(x)")]


def test_recursion_over_files_ends(tree: Tree) -> None:
    tree.write(
        {
            "a.py": """
            import b
            class Net(nn.Module):
                def forward(self, x):
                    return down(x, 5)
            def down(x, n):
                return b.up(x, n - 1) if n else x
            """,
            "b.py": """
            import a
            def up(x, n):
                if x.sum() > 0:
                    return x
                return a.down(x, n)
            """,
        }
    )
    assert tree.found("b.py") == [("TTR101", "if x.sum() > 0:")]


def test_guard_helper_that_looks_for_the_question_of_the_installed_torch(tree: Tree) -> None:
    tree.write(
        {
            "compat.py": """
            _asked = getattr(torch.compiler, "is_compiling", None) or getattr(torch._dynamo, "is_compiling", None)
            def is_compiling():
                return bool(_asked()) if _asked is not None else False
            """,
            "net.py": """
            from compat import is_compiling
            class Net(nn.Module):
                def forward(self, x):
                    if not is_compiling():
                        print(x)
                    return x
            """,
        }
    )
    assert tree.findings("net.py") == []


TIMING = """
import functools
def timed(fn):
    @functools.wraps(fn)
    def run(*args, **kwargs):
        out = fn(*args, **kwargs)
        print("done")
        return out
    return run
def named(name):
    def decorate(fn):
        def run(self, x):
            if x.sum() > 0:
                print(name)
            return fn(self, x)
        return run
    return decorate
def marked(fn):
    fn.marked = True
    print("at import")
    return fn
"""


def test_wrapper_that_a_decorator_of_another_file_makes(tree: Tree) -> None:
    tree.write(
        {
            "timing.py": TIMING,
            "net.py": """
            from timing import marked, named, timed
            @timed
            def helper(x):
                return x.item()
            class Net(nn.Module):
                @marked
                @named("net")
                def forward(self, x):
                    return helper(x)
            """,
        }
    )
    assert tree.found("net.py") == [("TTR103", "return x.item()")]
    assert tree.found("timing.py") == [("TTR201", 'print("done")'), ("TTR101", "if x.sum() > 0:"), ("TTR201", "print(name)")]
    assert {finding.chain for finding in tree.findings("timing.py")} == {
        ("Net.forward (net.py)", "run"),
        ("Net.forward (net.py)", "helper", "run"),
    }


def test_function_that_another_file_compiles(tree: Tree) -> None:
    tree.write(
        {
            "steps.py": """
            def step(x):
                return x.sum().item()
            """,
            "run.py": """
            from steps import step
            fast = torch.compile(step)
            """,
        }
    )
    assert tree.found("steps.py") == [("TTR103", "return x.sum().item()")]


def test_wrapper_of_a_much_used_decorator_calls_the_function_it_was_made_for(tree: Tree) -> None:
    others = "\n".join(f"@logged\ndef scaled{number}(x, by):\n    return x * {number} + by\n" for number in range(30))
    calls = "\n".join(f"        x = ops.scaled{number}(x, x.sum())" for number in range(30))
    tree.write({
        "tools.py": "def logged(func):\n    def inner(*args, **kwargs):\n        return func(*args, **kwargs)\n    return inner\n",
        "ops.py": "from tools import logged\n\n@logged\ndef powered(x, by):\n    return x ** 2 if by else x\n\n" + others,
        "net.py": f"import ops\n\nclass Net(nn.Module):\n    def forward(self, x):\n        x = ops.powered(x, 3)\n{calls}\n        return x\n",
    })  # fmt: skip
    assert tree.found("ops.py") == []
