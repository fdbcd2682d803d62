"""Verification through the flake8 program: what is shown, where inputs come from, and that the way flake8 runs changes nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures_support import FIXTURES, fixture_files
from flake8_program import HEAD, ROOT, Reported, flake8
from test_flake8_runs import WITH_START_METHOD
from verdict_text import confirmed, outcome

from flake8_torchtrace.model import Target

pytest.importorskip("torch")
VERIFY = "--torchtrace-verify"
FEW = fixture_files("founding")[:3]
PRINTS = """
class Net(nn.Module):
    def forward(self, x):
        print("from the module under test")
        return x + 1
"""
MAKE = """

def make():
    return Net(), (torch.ones(3),), {}
"""
FILES = {
    "noqa.py": PRINTS.replace('test")', 'test")  # noqa: TTR201')
    .replace("        return", "        leave()  # noqa: TTR901\n        return")
    .replace("\nclass", "\nleave = vars(torch._dynamo)['graph_break']  # no rule sees through this\n\n\nclass")
    .replace("x + 1", "x - x.mean().item()")
    + MAKE,
    "weak.py": "from elsewhere import score\n" + PRINTS.replace("x + 1", "x + 1 if score(x) > 0 else x") + MAKE,
    "weak_without_inputs.py": "from elsewhere import score\n" + PRINTS.replace("x + 1", "x + 1 if score(x) > 0 else x"),
    "examples.py": PRINTS + "\n\ndef example_inputs():\n    return (torch.ones(3),)\n",
    "package/__init__.py": "",
    "package/by_recipe.py": PRINTS,
    "elsewhere.py": "def score(x):\n    return x.sum()\n",
    "recipes.py": "from package.by_recipe import Net\n\n\ndef net():\n    return Net(), (torch.ones(3),)\n\n\n"
    "RECIPES = {'package.by_recipe.Net': net}\n",
    "pyproject.toml": '[tool.torchtrace]\nrecipes = "recipes.py"\ninputs = ["recipe"]\n',
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several small files in a folder of their own."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "package").mkdir()
    for name, text in FILES.items():
        is_code = name.endswith(".py") and name not in ("package/__init__.py", "elsewhere.py")
        (folder / name).write_text((HEAD if is_code else "") + text)
    return folder


@pytest.fixture(scope="module")
def found(project: Path) -> dict[str, list[Reported]]:
    """What one run in that folder reports for each file."""
    items = flake8(VERIFY, ".", folder=project).reported
    return {name: [item for item in items if item.path == project / name] for name in FILES}


@pytest.fixture(scope="module")
def plain() -> str:
    """What one process reports for a few fixtures."""
    return flake8(VERIFY, "--jobs=1", *FEW).stdout


def test_the_number_of_processes_changes_nothing(plain: str) -> None:
    run = flake8(VERIFY, "--jobs=2", *FEW)
    assert (run.stdout, run.stderr, run.status) == (plain, "", 1)
    assert "[confirmed on torch " in plain


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_worker_processes_that_inherit_nothing(plain: str, method: str) -> None:
    run = flake8(VERIFY, "--jobs=2", *FEW, program=("-c", WITH_START_METHOD.format(method=method)))
    assert (run.stdout, run.stderr) == (plain, "")


def test_verification_changes_no_warning_but_adds_the_verdict(plain: str) -> None:
    warnings = flake8(*FEW).stdout.splitlines()
    assert [line.rpartition(" [confirmed")[0] for line in plain.splitlines()] == warnings


def test_dismissed_findings_vanish_unless_kept() -> None:
    path = FIXTURES / "verdicts" / "identities.py"
    kept = flake8(VERIFY, "--torchtrace-keep-dismissed", path).reported
    assert {outcome(item.text)[0] for item in kept} == {"confirmed", "dismissed"}
    assert flake8(VERIFY, path).reported == [item for item in kept if outcome(item.text)[0] != "dismissed"]


def test_only_the_wanted_targets_are_asked() -> None:
    path = FIXTURES / "founding" / "guarded.py"
    (item,) = flake8(VERIFY, "--torchtrace-targets", "fullgraph,export-nonstrict", path).reported
    assert confirmed(item.text) == {Target.FULLGRAPH, Target.EXPORT_NONSTRICT}
    assert "compile" not in outcome(item.text)[1]
    assert "export-strict" not in outcome(item.text)[1]


def test_standard_input_is_verified_only_as_the_file_it_names() -> None:
    path = FIXTURES / "founding" / "guarded.py"
    text = path.read_text()
    on_disk = flake8(VERIFY, path.relative_to(ROOT)).stdout
    named = flake8(VERIFY, "--stdin-display-name", path.relative_to(ROOT), "-", stdin=text)
    changed = flake8(VERIFY, "--stdin-display-name", path.relative_to(ROOT), "-", stdin=text + "\n# being edited\n")
    nameless = flake8(VERIFY, "-", stdin=text)
    assert named.stdout == on_disk
    for run in (changed, nameless):
        (item,) = run.reported
        assert outcome(item.text) == ("unverified", "this text is not what the file on disk holds")


def test_noqa_holds_for_what_verification_finds(project: Path, found: dict[str, list[Reported]]) -> None:
    assert [(item.line, item.code) for item in found["noqa.py"]] == [(9, "TTR501"), (11, "TTR103")]
    shown = flake8(VERIFY, "--disable-noqa", "noqa.py", folder=project)
    assert shown.codes == [(9, "TTR201"), (9, "TTR501"), (10, "TTR901"), (11, "TTR103")]


def test_weak_evidence_is_shown_once_torch_confirms_it(found: dict[str, list[Reported]]) -> None:
    assert [(item.line, item.code, outcome(item.text)[0]) for item in found["weak.py"]] == [
        (7, "TTR201", "confirmed"),
        (8, "TTR101", "confirmed"),
    ]
    assert [(item.line, item.code) for item in found["weak_without_inputs.py"]] == [(7, "TTR201")]


@pytest.mark.parametrize("name", ["examples.py", "package/by_recipe.py"])
def test_inputs(found: dict[str, list[Reported]], name: str) -> None:
    printed, lost = found[name]
    assert (printed.code, confirmed(printed.text)) == ("TTR201", frozenset({Target.COMPILE, Target.FULLGRAPH}))
    assert (lost.code, confirmed(lost.text)) == ("TTR501", frozenset({Target.EXPORT_STRICT, Target.EXPORT_NONSTRICT}))


def test_no_inputs(found: dict[str, list[Reported]]) -> None:
    (item,) = found["weak_without_inputs.py"]
    reason = "no inputs for Net (how: make() or example_inputs() in this file, or a recipe)"
    assert outcome(item.text) == ("unverified", reason)


def test_the_option_wins_over_pyproject_and_a_bad_recipe_is_told(project: Path) -> None:
    (project / "other.py").write_text("RECIPES = {'package/by_recipe.py:Nets': print}\n")
    (item,) = flake8(VERIFY, "--torchtrace-recipes", "other.py", "package/by_recipe.py", folder=project).reported
    assert outcome(item.text) == (
        "unverified",
        "recipe 'package/by_recipe.py:Nets' in other.py: there is no class Nets in package/by_recipe.py",
    )
