"""What is installed: everything the package needs, from a wheel and from an editable installation alike."""

from __future__ import annotations

import os
import pkgutil
import re
import shutil
import subprocess
import sys
import textwrap
import zipfile
from importlib import import_module, metadata
from pathlib import Path

import pytest
from fixtures_support import fixture_files
from flake8_program import ROOT, flake8

import flake8_torchtrace
from flake8_torchtrace.source import rules

PACKAGE = ROOT / "flake8_torchtrace"
NOT_SOURCE = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "__pycache__", "build", "dist", "*.egg-info", "fixtures", "tests")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from a copy of the tree, without going to an index."""
    folder = tmp_path_factory.mktemp("wheel")
    shutil.copytree(ROOT, folder / "tree", ignore=NOT_SOURCE)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    done = subprocess.run([*build, "-w", folder, folder / "tree"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (found,) = folder.glob("*.whl")
    return found


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the wheel installs."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_has_every_file_and_no_other(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
    ours = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    rules = {f"flake8_torchtrace/rules/{path.name}" for path in (ROOT / "rules").glob("*.py")}
    assert names == {path.relative_to(ROOT).as_posix() for path in ours} | rules
    assert {"flake8_torchtrace/py.typed", "flake8_torchtrace/source/torch_knowledge.json", "flake8_torchtrace/rules/print_call.py"} <= names


def test_flake8_with_the_installed_wheel(installed: Path, tmp_path: Path) -> None:
    files = fixture_files("oneliners", "founding")
    where = "import flake8_torchtrace.plugin as p, flake8_torchtrace.rules as r; print(p.__file__, *r.__path__)"
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    found = subprocess.run([sys.executable, "-c", where], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True)
    package = installed / "flake8_torchtrace"
    assert found.stdout.split() == [str(package / "plugin.py"), str(package / "rules")]
    run = flake8(*files, folder=tmp_path, environment={"PYTHONPATH": str(installed)})
    assert run.stdout == flake8(*files, folder=tmp_path).stdout != ""


def test_this_installation_finds_the_rules(tmp_path: Path) -> None:
    """In the tests it is an editable one."""
    files = {path.stem for path in (ROOT / "rules").glob("*.py")} - {"__init__"}
    assert {info.name for info in pkgutil.iter_modules(import_module(rules.PACKAGE).__path__)} == files
    assert flake8(fixture_files("oneliners")[0], folder=tmp_path).status == 1


def test_what_a_plain_installation_pulls_in() -> None:
    requires = metadata.requires("flake8-torchtrace") or []
    plain = [line for line in requires if "extra ==" not in line]
    names = {re.split(r"[^A-Za-z0-9_-]", line)[0] for line in plain}
    assert names == {"flake8", "libcst", "tomli"}
    assert any(line.startswith("torch>=") and 'extra == "verify"' in line for line in requires)
    assert not [line for line in requires if re.search(r"[<~!]|===?", line.partition(";")[0])], "no upper caps"


def test_version() -> None:
    assert metadata.version("flake8-torchtrace") == flake8_torchtrace.__version__


def test_flake8_knows_the_plugin_by_its_prefix() -> None:
    (entry,) = [found for found in metadata.entry_points(group="flake8.extension") if found.name == "TTR"]
    assert entry.value == "flake8_torchtrace.plugin:Plugin"


# The workflow in docs/ci.yml, run step by step in a fresh environment, where packages that the tests have count as installed.
STEP = re.compile(r"- name: (?P<name>.*)\n(?: {8}.*\n)*? {8}run: \|\n(?P<run>(?: {10}.*\n)+)")
PYTHON = """#!/bin/sh
{python} "$@" || exit
if [ "$1 $2" = "-m venv" ]; then
  for folder in "$3"/lib/python*/site-packages; do
    rm -rf "$folder"/setuptools* "$folder"/pkg_resources  # before Python 3.12 an old one comes with it
    echo '{packages}' > "$folder"/tests.pth
  done
fi
"""
PROJECT = {
    "pyproject.toml": """
        [build-system]
        requires = ["setuptools"]
        build-backend = "setuptools.build_meta"

        [project]
        name = "my-package"
        version = "1"

        [tool.torchtrace.ready]
        "my_package.model.Net" = ["fullgraph", "export"]
        """,
    "src/my_package/__init__.py": "",
    "src/my_package/model.py": """
        import torch
        from torch import nn


        class Net(nn.Module):
            def forward(self, x):
                return x + 1


        def example_inputs():
            return (torch.ones(2),)
        """,
}


@pytest.fixture
def project(wheel: Path, tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A project that has nothing installed, and the environment variables that lead pip to the wheel and nowhere else."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for path in (path for entry in sys.path if entry.endswith("-packages") for path in Path(entry).iterdir()):
        if "flake8_torchtrace" not in path.name and path.suffix != ".pth" and not (packages / path.name).exists():
            (packages / path.name).symlink_to(path)
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    python.write_text(PYTHON.format(python=sys.executable, packages=packages))
    python.chmod(0o755)
    folder = tmp_path / "project"
    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(textwrap.dedent(text))
    environment = {
        **os.environ, "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "OMP_NUM_THREADS": "1", "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheel.parent), "PIP_NO_BUILD_ISOLATION": "0", "PIP_QUIET": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }  # fmt: skip
    return folder, environment


def test_the_workflow_of_the_docs(project: tuple[Path, dict[str, str]]) -> None:
    folder, environment = project
    steps = {match["name"]: textwrap.dedent(match["run"]) for match in STEP.finditer((ROOT / "docs" / "ci.yml").read_text())}
    assert list(steps) == ["Install", "Promises", "Findings in promised classes"]

    def run(command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False)

    for name, command in steps.items():
        done = run(command)
        assert done.returncode == 0, (name, done)
    model = folder / "src" / "my_package" / "model.py"
    model.write_text(model.read_text().replace("return x + 1", "print(x)\n        return x + 1"))
    broken, found = run(steps["Promises"]), run(steps["Findings in promised classes"])
    assert (broken.returncode, found.returncode) == (1, 1)
    assert broken.stdout.startswith("::error file=src/my_package/model.py,line=8,endLine=8,col=9,endColumn=16,title=TTR910 promise-broken::")
    assert (folder / "promises.xml").read_text().count("<failure ") == 1
    assert sorted(re.findall(r"model.py:\d+:\d+: TTR\d+", found.stdout)) == ["model.py:6:1: TTR910", "model.py:8:9: TTR201"]
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    (entry,) = re.findall(r"- id: torchtrace-ready\n(?:  .*\n)*?  entry: (.*)\n", hooks)
    assert run(f"PATH=.venv/bin:$PATH; {entry}").returncode == 1
    model.write_text(model.read_text().replace("print(x)", "x = x * 2"))
    assert run(f"PATH=.venv/bin:$PATH; {entry}").returncode == 0
