"""``--propose`` locks in what is kept today; ``--explain`` shows the experiment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from torchtrace_program import refused, torchtrace

from flake8_torchtrace.pyproject import read_table

NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("scale", torch.ones(4), persistent=False)

    def forward(self, x):
        return self.layer(x) * self.scale


class Printing(nn.Module):
    def forward(self, x):
        print(x.shape)
        return x + 1


class FromNothing(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x: torch.Tensor):
        return self.layer(x)


class Alone(nn.Module):
    def __init__(self, secret):
        super().__init__()
        raise RuntimeError(secret)

    def forward(self, x):
        return x


# torchtrace: export
class Promised(nn.Module):
    def forward(self, x):
        return x


def example_inputs():
    return {"Net": (torch.ones(2, 4),), "Printing": (torch.ones(2),), "Promised": (torch.ones(2),)}
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that has proposed what it keeps."""
    folder = tmp_path_factory.mktemp("proposed")
    (folder / "pkg").mkdir()
    (folder / "tests").mkdir()
    (folder / "pkg" / "__init__.py").write_text("")
    for place in ("pkg/model.py", "tests/models.py"):
        (folder / place).write_text(f"import torch\nfrom torch import nn\n{NET if place[0] == 'p' else NET.replace('# torchtrace: export', '')}")
    (folder / "pyproject.toml").write_text("# ours\n[project]\nname = 'pkg'\n")
    done = torchtrace("ready", "--propose", folder=folder)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1].startswith("torchtrace: 3 of 4 classes keep something, written to ")
    assert done.stderr.splitlines()[-1].endswith("pyproject.toml; 1 not measured")
    return folder


def test_what_is_kept_is_written(project: Path) -> None:
    text = (project / "pyproject.toml").read_text()
    assert text.startswith("# ours\n[project]\nname = 'pkg'\n\n[tool.torchtrace.ready]\n")
    ready = read_table(project)[0]["ready"]
    assert set(ready) == {"pkg.model.Net", "pkg.model.Printing", "pkg.model.FromNothing"}
    assert ready["pkg.model.FromNothing"]["inputs"] == "synthesised"
    assert {"fullgraph", "export-ready"} <= set(ready["pkg.model.FromNothing"]["promises"])
    assert {"fullgraph", "export-strict", "max-recompiles=0"} <= set(ready["pkg.model.Net"])
    assert "fullgraph" not in ready["pkg.model.Printing"]
    assert {"export", "max-breaks=1"} <= set(ready["pkg.model.Printing"])


def test_and_is_kept_then(project: Path) -> None:
    done = torchtrace("ready", folder=project)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout


def test_the_experiment_is_shown(project: Path) -> None:
    done = torchtrace("ready", "--explain", "pkg.model.Net", folder=project)
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert lines[0].startswith("pkg.model.Net (")
    for line in (
        "kept: fullgraph", "with example_inputs() in pkg/model.py for Net", "mode: train", "x = float32[2, 4]",
        "p_layer_weight: parameter layer.weight", "b_scale: buffer scale (not persistent)", "compile: 4 calls, 0 breaks, 0 recompiles",
        "range constraints: none",
    ):  # fmt: skip
        assert line in lines
    assert any(line.startswith("linear = torch.ops.aten.linear.default(x, ") for line in lines)
    assert any("archive/models/model.json (" in line for line in lines)
    assert refused(torchtrace("ready", "--explain", "pkg.model.Nit", folder=project)).endswith("did you mean pkg.model.Net?")


def test_without_a_pyproject_the_section_is_printed(write: Callable[..., Path], tmp_path: Path) -> None:
    source = "class Net(nn.Module):\n    def __init__(self, x):\n        raise ValueError(x)\n    def forward(self, x):\n        return x\n"
    write("net.py", source, torch=True)
    done = torchtrace("ready", "--propose", "-v", "net", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    first, second = done.stderr.splitlines()
    assert first.startswith("torchtrace: net.Net: not measured: ")
    assert second == "torchtrace: 0 of 1 classes keep something, nothing was written; 1 not measured"
    assert refused(torchtrace("ready", "--propose", "nowhere", folder=tmp_path)) == "--propose: there is no module nowhere"
    assert refused(torchtrace("ready", "--print", folder=tmp_path)) == "--print goes with --propose"
