"""Small modules through the installed torch: one server, real verdicts."""

from __future__ import annotations

import contextlib
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
from judging import finding

from flake8_torchtrace.model import Family, Outcome, Target
from flake8_torchtrace.verify import Session, Verification, VerifySettings, render

torch_version = pytest.importorskip("torch").__version__.partition("+")[0]
pytestmark = pytest.mark.skipif(not torch_version.startswith("2.13."), reason="verdicts as measured on torch 2.13")

ALL = "compile, fullgraph, export-strict, export-nonstrict"
ON = f"on torch {torch_version}"
LIBRARY = """\
import torch
from torch import nn

class Inner(nn.Module):
    def forward(self, x):
        return x * x.sum().item()  # value

class Wrapper(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
    def forward(self, x):
        y = self.inner(x)  # value
        return y
"""
RECIPES = """\
from library import Wrapper
def wrapper():
    import torch
    return Wrapper(), (torch.ones(3),)
RECIPES = {"library.Wrapper": wrapper}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Path]]:
    """One session for all tests here: starting torch is what costs."""
    directory = tmp_path_factory.mktemp("project")
    (directory / "recipes.py").write_text(RECIPES)
    (directory / "library.py").write_text(LIBRARY)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        session = Session(VerifySettings(timeout=60.0, recipes=str(directory / "recipes.py")))
        try:
            yield session, directory
        finally:
            session.close()


def verify(project: tuple[Session, Path], name: str, source: str) -> Verification:
    """Verify a finding on every line that says ``# value``, ``# no-handler`` or another family."""
    session, directory = project
    text = "import torch\nfrom torch import nn\n" + textwrap.dedent(source)
    (directory / name).write_text(text)
    return verify_file(session, directory / name)


def verify_file(session: Session, path: Path) -> Verification:
    """As ``verify``, for a file that is there."""
    text = path.read_text()
    marked = [
        finding(text, number, line.split()[0], family=Family(line.rpartition("# ")[2]))
        for number, line in enumerate(text.splitlines(), 1)
        if "  # " in line
    ]
    return session.verify(str(path), text, marked)


def outcomes(found: Verification) -> list[dict[str, str]]:
    """Outcome by target for each finding."""
    return [{target.value: judged.outcome.value for target, judged in verdict.targets.items()} for _, verdict in found.verdicts]


def test_a_branch_on_a_tensor(project: tuple[Session, Path]) -> None:
    found = verify(
        project,
        "branch.py",
        """
        class Net(nn.Module):
            def forward(self, x):
                if x.sum() > 0:  # value
                    return x + 1
                return x - 1

        def make():
            return Net(), (torch.ones(3),), {}
        """,
    )
    assert (found.torch, found.notes, found.extra) == (torch_version, (), ())
    assert [render(verdict) for _, verdict in found.verdicts] == [
        f"[confirmed {ON}: compile, fullgraph, export-strict: Data-dependent branching (GB0170); "
        "export-nonstrict: GuardOnDataDependentSymNode]"
    ]


def test_what_export_accepts_and_what_nothing_minds(project: tuple[Session, Path], capfd: pytest.CaptureFixture[str]) -> None:
    found = verify(
        project,
        "prints.py",
        """
        class Net(nn.Module):
            def forward(self, x):
                y = x * 2  # value
                print("in forward")  # no-handler
                if x.shape[0] > 3:
                    print("large")  # no-handler
                return y.sin()  # value

        def make():
            return Net(), (torch.ones(3),), {}
        """,
    )
    assert [verdict.outcome for _, verdict in found.verdicts] == [
        Outcome.DISMISSED,
        Outcome.CONFIRMED,
        Outcome.NOT_REACHED,
        Outcome.DISMISSED,
    ]
    assert outcomes(found)[1:] == [
        {
            "compile": "confirmed",
            "fullgraph": "confirmed",
            "export-strict": "dismissed",
            "export-nonstrict": "dismissed",
        },
        dict.fromkeys(ALL.split(", "), "not-reached"),
        dict.fromkeys(ALL.split(", "), "dismissed"),
    ]
    assert "in forward" not in "".join(capfd.readouterr())


def test_a_frame_given_up_leaves_nothing_dismissed(project: tuple[Session, Path]) -> None:
    found = verify(
        project,
        "loop.py",
        """
        class Net(nn.Module):
            def forward(self, x):
                x = x * 2  # value
                for _ in range(2):
                    x = x.sin()
                    print("in a loop")  # no-handler
                return x.cos()  # value

        def make():
            return Net(), (torch.ones(3),), {}
        """,
    )
    compile_outcomes = [verdict.targets[Target.COMPILE].outcome for _, verdict in found.verdicts]
    assert compile_outcomes == [Outcome.NOT_REACHED, Outcome.CONFIRMED, Outcome.NOT_REACHED]


def test_a_break_inside_a_library_that_no_rule_predicted(project: tuple[Session, Path]) -> None:
    found = verify(
        project,
        "copies.py",
        """
        import copy
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1
                return copy.copy(y) * 2

        def make():
            return Net(), (torch.ones(3),), {}
        """,
    )
    ((extra, verdict),) = found.extra
    assert (extra.code, extra.span.line, extra.span.column) == ("TTR901", 8, 15)
    assert extra.message.startswith("torch breaks here and no rule predicted it, inside copy.py:")
    assert verdict.targets[Target.COMPILE].outcome is Outcome.CONFIRMED


def test_a_recipe(project: tuple[Session, Path]) -> None:
    session, directory = project
    found = verify_file(session, directory / "library.py")
    assert [verdict.targets[Target.COMPILE].outcome for _, verdict in found.verdicts] == [
        Outcome.CONFIRMED,
        Outcome.DISMISSED,
    ]


def test_a_plain_function(project: tuple[Session, Path]) -> None:
    found = verify(
        project,
        "plain.py",
        """
        def double(x):
            return x * 2  # value

        def make():
            return double, (torch.ones(3),)
        """,
    )
    assert [render(verdict) for _, verdict in found.verdicts] == [f"[dismissed {ON}: traced, no break]"]


def test_a_segmentation_fault(project: tuple[Session, Path]) -> None:
    found = verify(
        project,
        "faults.py",
        """
        import ctypes
        class Net(nn.Module):
            def forward(self, x):
                y = x + 1  # value
                ctypes.string_at(0)
                return y

        def make():
            return Net(), (torch.ones(3),)
        """,
    )
    assert [render(verdict) for _, verdict in found.verdicts] == ["[unverified: the code under test was ended by signal SIGSEGV]"]


def test_made_inputs_go_on_to_the_lines_that_the_first_do_not_come_to(project: tuple[Session, Path]) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self, dim):
                super().__init__()
                self.layer = nn.Linear(dim, dim)
            def forward(self, x):
                x = self.layer(x)
                y = x * x.sum().item()  # value
                if self.training:
                    y = y + y.mean().item()  # value
                return y
    """
    with contextlib.closing(Session(VerifySettings(timeout=60.0, inputs=("synthesised",)))) as session:
        found = verify((session, project[1]), "trains.py", source)
    judged = [verdict.targets[Target.COMPILE] for _, verdict in found.verdicts]
    assert [(one.outcome, one.inputs) for one in judged] == [
        (Outcome.CONFIRMED, "synthesised: dim=32; x = float32[2, 16, 32]"),
        (Outcome.CONFIRMED, "synthesised: dim=32; x = float32[2, 16, 32]; in training mode"),
    ]
