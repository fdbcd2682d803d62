"""Options on the command line, in flake8's config file and in [tool.torchtrace] of pyproject.toml."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flake8_program import Run, flake8

Write = Callable[..., Path]

NET = """
from elsewhere import score

class Net(nn.Module):
    def forward(self, x):
        return x - x.mean().item()

    def fit(self, x):
        print("fit")
        return x

    def evaluate(self, x):
        return x if score(x) else -x
"""
FORWARD, FIT, WEAK = (8, "TTR103"), (11, "TTR201"), (15, "TTR101")


@pytest.fixture
def net(write: Write) -> Path:
    return write("net.py", NET, torch=True)


def refused(run: Run) -> str:
    """The one line of a run that flake8 refused to start."""
    assert (run.status, run.stdout) == (2, "")
    usage, line = run.stderr.splitlines()
    assert usage.startswith("usage: flake8 ")
    assert line.startswith("flake8: error: flake8-torchtrace: ")
    return line.removeprefix("flake8: error: flake8-torchtrace: ")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], [FORWARD]),
        (["--torchtrace-methods", "fit"], [FORWARD, FIT]),
        (["--torchtrace-methods", "fit,other"], [FORWARD, FIT]),
        (["--torchtrace-methods", "evaluate"], [FORWARD]),
        (["--torchtrace-methods", "evaluate", "--torchtrace-possible"], [FORWARD, WEAK]),
        (["--torchtrace-targets", "compile"], [FORWARD]),
        (["--torchtrace-targets", "export-strict,export-nonstrict"], []),
        (["--torchtrace-targets", "export-strict,compile"], [FORWARD]),
        (["--torchtrace-methods", "fit", "--torchtrace-targets", "fullgraph"], [FIT]),
    ],
)
def test_command_line(net: Path, given: list[str], expected: list[tuple[int, str]]) -> None:
    run = flake8(*given, net.name, folder=net.parent)
    assert run.codes == expected
    assert run.status == (1 if expected else 0)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            ["--torchtrace-targets", "compile,onnx"],
            "--torchtrace-targets: there is no target 'onnx'; known targets: compile, fullgraph, export-strict, export-nonstrict",
        ),
        (
            ["--torchtrace-targets="],
            "--torchtrace-targets: no target is named; known targets: compile, fullgraph, export-strict, export-nonstrict",
        ),
        (["--torchtrace-methods", "fit,fit-all"], "--torchtrace-methods: 'fit-all' is not the name of a method"),
        (["--torchtrace-timeout", "soon"], "--torchtrace-timeout: the time limit must be a positive number of seconds, not 'soon'"),
        (["--torchtrace-timeout", "0"], "--torchtrace-timeout: the time limit must be a positive number of seconds, not '0'"),
        (["--torchtrace-timeout", "inf"], "--torchtrace-timeout: the time limit must be a positive number of seconds, not 'inf'"),
        (["--torchtrace-recipes", "gone.py"], "--torchtrace-recipes: there is no file gone.py"),
        (
            ["--torchtrace-inputs", "recipe,guessed"],
            "--torchtrace-inputs: inputs cannot come from 'guessed'; known: recipe, recorded, synthesised",
        ),
        (["--torchtrace-python", "gone"], "--torchtrace-python: there is no interpreter gone"),
        (["--torchtrace-python", "/bin/sh", "--torchtrace-python", "/bin/sh"], "--torchtrace-python: /bin/sh is named twice"),
        (["--torchtrace-python", "/bin/false"], "--torchtrace-python: /bin/false is not a Python interpreter that works"),
    ],
)
def test_a_mistake_on_the_command_line(net: Path, given: list[str], expected: str) -> None:
    assert refused(flake8(*given, net.name, folder=net.parent)) == expected


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("", [FORWARD]),
        ('methods = ["fit"]', [FORWARD, FIT]),
        ('methods = ["evaluate"]\npossible = true', [FORWARD, WEAK]),
        ('targets = ["export-strict"]', []),
        ('targets = ["compile"]\ntimeout = 5\nkeep-dismissed = false\nrecipes = "net.py"', [FORWARD]),
    ],
)
def test_pyproject(net: Path, write: Write, table: str, expected: list[tuple[int, str]]) -> None:
    write("pyproject.toml", f"[tool.torchtrace]\n{table}\n")
    below = net.parent / "below"
    below.mkdir()
    for folder in (net.parent, below):
        assert flake8(net, folder=folder).codes == expected


def test_the_command_line_wins_over_pyproject(net: Path, write: Write) -> None:
    write("pyproject.toml", '[tool.torchtrace]\ntargets = ["export-strict"]\nmethods = ["evaluate"]\n')
    run = flake8("--torchtrace-targets", "compile", "--torchtrace-methods", "fit", net.name, folder=net.parent)
    assert run.codes == [FORWARD, FIT]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (
            "verify = true",
            "cannot switch verification on, because it runs the code of the repository; pass --torchtrace-verify on the command line",
        ),
        (
            'python = ".venv"',
            "cannot name the python that verifies, because that is a program that is run; pass --torchtrace-python on the command line",
        ),
        ('method = ["fit"]', "has no key 'method'; did you mean methods?"),
        ('methods = "fit"', "methods must be a list of strings, not 'fit'"),
        ("methods = [1]", "methods must be a list of strings, not [1]"),
        ('possible = "yes"', "possible must be true or false, not 'yes'"),
        ("timeout = true", "timeout must be a number of seconds, not True"),
        ("timeout = -1", "timeout: the time limit must be a positive number of seconds, not -1"),
        ("recipes = 3", "recipes must be a string, not 3"),
        ('recipes = "gone.py"', "recipes: there is no file {folder}/gone.py"),
        (
            'targets = ["onnx"]',
            "targets: there is no target 'onnx'; known targets: compile, fullgraph, export-strict, export-nonstrict",
        ),
    ],
)
def test_a_mistake_in_pyproject(net: Path, write: Write, table: str, expected: str) -> None:
    file = write("pyproject.toml", f"[tool.torchtrace]\n{table}\n")
    said = refused(flake8(net.name, folder=net.parent))
    assert said == f"{file}: [tool.torchtrace] {expected.format(folder=net.parent)}"


def test_a_key_like_no_other(net: Path, write: Write) -> None:
    file = write("pyproject.toml", "[tool.torchtrace]\ncolour = 1\n")
    said = refused(flake8(net.name, folder=net.parent))
    assert said.startswith(f"{file}: [tool.torchtrace] has no key 'colour'; known keys: methods, possible, targets, ")


def test_a_pyproject_that_does_not_parse(net: Path, write: Write) -> None:
    file = write("pyproject.toml", "[tool\n")
    assert refused(flake8(net.name, folder=net.parent)).startswith(f"cannot read {file}: ")


@pytest.mark.parametrize("tool", ["tool.torchtrace = 1", "[tool]\ntorchtrace = []"])
def test_a_table_that_is_none(net: Path, write: Write, tool: str) -> None:
    file = write("pyproject.toml", tool)
    assert refused(flake8(net.name, folder=net.parent)) == f"{file}: [tool.torchtrace] must be a table"


@pytest.mark.parametrize("name", ["setup.cfg", "tox.ini", ".flake8"])
def test_the_config_file_of_flake8(net: Path, write: Write, name: str) -> None:
    write(name, "[flake8]\ntorchtrace-methods = fit, evaluate\ntorchtrace-possible = true\n")
    assert flake8(net.name, folder=net.parent, isolated=False).codes == [FORWARD, FIT, WEAK]
    write(name, "[flake8]\ntorchtrace-targets = export-strict\n")
    assert flake8(net.name, folder=net.parent, isolated=False).codes == []


@pytest.mark.parametrize("name", ["setup.cfg", ".flake8"])
@pytest.mark.parametrize("key", ["torchtrace-verify", "torchtrace_verify"])
def test_a_config_file_cannot_switch_verification_on(write: Write, name: str, key: str) -> None:
    trace = 'import pathlib\npathlib.Path("was-run").touch()\n'
    net = write("net.py", NET + trace + "\n\ndef make():\n    return Net(), (torch.ones(3),)\n", torch=True)
    write("recipes.py", trace + "RECIPES = {}\n")
    write("pyproject.toml", '[tool.torchtrace]\nrecipes = "recipes.py"\n')
    write(name, f"[flake8]\n{key} = true\ntorchtrace-recipes = recipes.py\ntorchtrace-keep-dismissed = true\n")
    assert "give --torchtrace-verify on the command line" in refused(flake8(net.name, folder=net.parent, isolated=False))
    assert not (net.parent / "was-run").exists()
    write(name, f"[flake8]\n{key} = false\ntorchtrace-recipes = recipes.py\n")
    assert flake8(net.name, folder=net.parent, isolated=False).codes == [FORWARD]
    assert not (net.parent / "was-run").exists()


def test_a_config_file_cannot_name_the_interpreter(net: Path, write: Write) -> None:
    write(".flake8", "[flake8]\ntorchtrace-python = .venv\n")
    assert "give --torchtrace-python on the command line" in refused(flake8(net.name, folder=net.parent, isolated=False))
