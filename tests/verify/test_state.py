"""Whatever code under test leaves behind in its process is seen, and what leaves nothing behind is not suspected."""

from __future__ import annotations

import builtins
import contextlib
import gc
import logging
import os
import sys
import types
import warnings
from collections.abc import Callable, Iterator

import pytest

from flake8_torchtrace.verify.state import State, TooMuchError, _is_plain

HEAD = """\
import collections, functools, itertools, logging, os, random, warnings

COUNT, RATE, NAMES, SEEN, TABLE = 0, 0.5, [], set(), {"a": {"b": 1}}
LOG = logging.getLogger("of the code under test")
DATA = bytearray(b"abc")

class Thing:
    made = 0
    kinds = []
    def __init__(self):
        self.value = 1

ONE = Thing()

@functools.lru_cache
def cached(x):
    return x + 1

def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
    return step

STEP = counter()

def default(x, kept=[]):
    kept.append(x)

def work():
"""


Build = Callable[..., tuple[types.ModuleType, State]]


@pytest.fixture(scope="module")
def frozen() -> Iterator[None]:
    """All that is there before the code under test is."""
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture
def build(frozen: None, monkeypatch: pytest.MonkeyPatch) -> Build:
    """Makes a module whose ``work()`` has a given body, as if imported after the server had started."""
    monkeypatch.setitem(sys.modules, "torch", types.ModuleType("torch"))
    before = set(sys.modules)

    def make(body: str, head: str = "") -> tuple[types.ModuleType, State]:
        module = types.ModuleType("code_under_test")
        module.__file__ = "code_under_test.py"
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(HEAD.replace("def work", f"{head}\ndef work") + f"    {body}\n", vars(module))
        return module, State(before)

    return make


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "Thing().value = 3",
        "local = [1]; local.append(2)",
        "cached.__wrapped__(1)",
        "logging.getLogger('another, only looked up')",
        "work.__dict__",
        "globals()['__warningregistry__'] = {'shown once': True}",
        "globals()['torch_dynamo_resume_in_work_at_3_1'] = 1",
    ],
)
def test_what_leaves_nothing_behind(build: Build, body: str) -> None:
    module, state = build(body)
    with warnings_restored():
        module.work()
    assert state.is_unchanged()


@pytest.mark.parametrize(
    "body",
    [
        "global COUNT; COUNT += 1",
        "global RATE; RATE = RATE + 1.0; RATE = RATE - 1.0",
        "global NEW; NEW = 1",
        "global ONE; del ONE",
        "NAMES.append(1)",
        "SEEN.add('once')",
        "TABLE['a']['b'] = 2",
        "DATA[0] = 9",
        "ONE.value = 2",
        "ONE.other = 2",
        "Thing.made += 1",
        "Thing.kinds.append(1)",
        "Thing.forward = lambda self: None",
        "cached(1)",
        "STEP()",
        "default(1)",
        "work.calls = 1",
        "os.environ['CODE_UNDER_TEST'] = '1'",
        "LOG.setLevel(logging.DEBUG)",
        "LOG.addHandler(logging.NullHandler())",
        "warnings.simplefilter('ignore', ResourceWarning)",
        "import builtins; builtins.code_under_test = 1; builtins.print = len",
    ],
)
def test_what_leaves_something_behind(build: Build, body: str) -> None:
    module, state = build(body)
    with restored():
        module.work()
        is_unchanged = state.is_unchanged()
    assert not is_unchanged


def test_an_import_of_the_project_is_seen(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    _, state = build("pass")
    monkeypatch.setitem(sys.modules, "another_of_the_project", types.ModuleType("another_of_the_project"))
    assert not state.is_unchanged()


@pytest.mark.parametrize(
    "head", ["RANDOM = random.Random(1)", "NUMBERS = itertools.count()", "MANY = [[] for _ in range(30_000)]", "OPEN = iter([1])"]
)
def test_what_cannot_be_looked_into_is_not_trusted(build: Build, head: str) -> None:
    with pytest.raises(TooMuchError):
        build("pass", head)


@contextlib.contextmanager
def warnings_restored() -> Iterator[None]:
    with warnings.catch_warnings():
        yield


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Undo what the bodies change for all of the process."""
    printing, environment = builtins.print, dict(os.environ)
    with warnings_restored():
        yield
    builtins.print = printing
    vars(builtins).pop("code_under_test", None)
    os.environ.clear()
    os.environ.update(environment)
    logger = logging.getLogger("of the code under test")
    logger.setLevel(logging.NOTSET)
    logger.handlers.clear()


def test_a_class_that_says_no_text_of_its_module_is_not_plain() -> None:
    assert _is_plain(type("Odd", (), {"__module__": property(lambda self: "odd")})) is False
