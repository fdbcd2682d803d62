"""A program whose calls are verified behaves as it does alone, and its verdicts are told at its end and by the next flake8."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from flake8_program import flake8
from torchtrace_program import torchtrace
from verdict_text import outcome

MODEL = """
import os

import torch
from torch import nn


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.calls = 0

    def forward(self, x, *, scale=1.0):
        self.calls += 1
        if x.sum() > 0:
            print("positive")
        return self.layer(x) * scale


class Inherits(Base):
    pass


class Dies(nn.Module):
    def forward(self, x):
        if os.getpid() != PROGRAM:
            os.abort()
        return x.sum().item()


class Never(nn.Module):
    def forward(self, x):
        return x.item()


def free(x):
    print("free")
    return x + 1


torch.compile(free)
PROGRAM = os.getpid()
"""

PROGRAM = """
import inspect
import os
import pickle
import signal
import sys

import torch

from model import Base, Dies, Inherits, free

def add_one(module, args):
    return (args[0] + 1,)


told = []
signal.signal(signal.SIGCHLD, lambda number, frame: told.append(number))
torch.manual_seed(1)
net = Inherits()
net.register_forward_pre_hook(add_one)
log = open("log.txt", "w")
log.write("begun, ")
with torch.no_grad():
    net(torch.ones(2, 4), scale=2.0)
loss = net(torch.ones(2, 4)).sum()
loss.backward()
Dies()(torch.ones(1))
print(net.calls, torch.rand(1), loss, net.layer.weight.grad.sum(), told, os.listdir("."))
print(type(net).forward is Base.forward, inspect.signature(Base.forward), pickle.loads(pickle.dumps(net)).calls)
compiled = torch.compile(net, backend="eager")
doubled = torch.compile(free, backend="eager")
print(compiled(torch.ones(2, 4)).shape, doubled(torch.ones(1)), any(map(callable, Base.forward.__code__.co_consts)), net.calls)
log.write("done")
sys.exit(3)
"""


@dataclass
class Outcome:
    alone: subprocess.CompletedProcess[str]
    recorded: subprocess.CompletedProcess[str]
    folder: Path


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    folder = tmp_path_factory.mktemp("program")
    (folder / "model.py").write_text(MODEL)
    (folder / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    alone = subprocess.run([sys.executable, "program.py"], cwd=folder, capture_output=True, text=True, check=False, env=environment)
    (folder / "log.txt").unlink()
    recorded = torchtrace(
        "run", "--targets", "compile", "--calls", "1", "--fail-on", "confirmed", "--", sys.executable, "program.py",
        folder=folder, environment={"PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    return Outcome(alone, recorded, folder)


def test_the_program_is_as_it_is_alone(ran: Outcome) -> None:
    assert ran.alone.stderr == ""
    assert (ran.recorded.stdout, ran.recorded.returncode) == (ran.alone.stdout, 3)
    assert (ran.folder / "log.txt").read_text() == "begun, done"


def test_the_end_tells_verdicts(ran: Outcome) -> None:
    lines = ran.recorded.stderr.splitlines()
    found = {line.partition(" ")[2].partition(" ")[0] + line.split(":")[1]: line for line in lines if line.startswith("model.py")}
    assert {key: outcome(line)[0] for key, line in found.items() if "[" in line} == {
        "TTR10116": "confirmed", "TTR20117": "confirmed", "TTR20227": "unverified", "TTR10329": "unverified",
        "TTR20138": "confirmed",
    }  # fmt: skip
    assert "[" not in found["TTR10334"]
    assert "was ended by signal SIGABRT" in found["TTR10329"]
    assert "6 findings, 3 confirmed; 3 calls verified" in lines[-2]


def test_the_next_flake8_tells_them_without_running_anything(ran: Outcome) -> None:
    settings = ("--torchtrace-targets", "compile")
    code = "import sys; from flake8.main.cli import main; main(sys.argv[1:]); 'torch' in sys.modules and sys.exit('torch was imported')"
    first = flake8("model.py", *settings, folder=ran.folder, program=("-c", code))
    assert [(item.line, "[confirmed" in item.text) for item in first.reported] == [
        (16, True), (17, True), (27, False), (29, False), (34, False), (38, True),
    ]  # fmt: skip
    asked = flake8("model.py", *settings, "--torchtrace-verify", folder=ran.folder, program=("-c", code))
    assert ["[confirmed" in item.text for item in asked.reported] == [True, True, False, False, False, True]
    ignored = flake8("model.py", *settings, "--torchtrace-no-store", folder=ran.folder)
    assert not any("[confirmed" in item.text for item in ignored.reported)


TESTS = """
import pytest
import torch
from model import Base


@pytest.mark.parametrize("size", [1, 2])
def test_output(size, capfd):
    Base()(torch.ones(size, 4))
    assert capfd.readouterr().out == "positive\\n"


def test_failure():
    Base()(torch.ones(1, 4))
    assert torch.manual_seed(0) is None
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_pytest(workers: tuple[str, ...], write: Callable[..., Path]) -> None:
    write("model.py", MODEL)
    folder = write("test_model.py", TESTS).parent
    write("pyproject.toml", '[tool.torchtrace]\ntargets = ["compile"]\n')
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--torchtrace", "--torchtrace-fail-on=confirmed", *workers],
        cwd=folder, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)},
    )  # fmt: skip
    assert "1 failed, 2 passed" in done.stdout, done.stdout + done.stderr
    assert "1 call verified" in done.stdout
    assert done.stdout.count("[confirmed") == 2
    assert done.returncode == 1


def test_nothing_is_imported_unasked() -> None:
    code = (
        "import sys; import pytest; before = set(sys.modules); import flake8_torchtrace.pytest_plugin as plugin;"
        "print({name.partition('.')[0] for name in set(sys.modules) - before})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "{'flake8_torchtrace'}\n"


def test_mistakes_are_told_before_anything_runs(tmp_path: Path) -> None:
    done = torchtrace("run", "--targets", "nowhere", "--", sys.executable, "-c", "print('ran')", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere" in done.stderr
    assert torchtrace("run", folder=tmp_path).returncode == 2
    missing = torchtrace("run", "--", "no-such-program", folder=tmp_path)
    assert (missing.returncode, missing.stderr) == (2, "torchtrace: error: cannot run no-such-program: No such file or directory\n")
