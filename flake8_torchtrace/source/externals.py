"""What calls of things outside the file return: torch by its own declarations, builtins and a little of the standard library."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source import outer
from flake8_torchtrace.source.builtin_calls import BUILTINS
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.guards import guard_value
from flake8_torchtrace.source.handlers import HANDLERS
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.numpy_calls import numpy_result
from flake8_torchtrace.source.torch_calls import constructor_args, torch_result
from flake8_torchtrace.source.values import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    PYTHON,
    STR,
    UNKNOWN,
    External,
    Tensor,
    Value,
    drop_none,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

Keywords = dict[str, Value]


def call(
    it: Interpreter, dotted: str, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """What ``dotted(...)`` returns."""
    guard = guard_value(dotted)
    if guard is not None:
        return guard
    handler = _HANDLERS.get(dotted)
    if handler is not None:
        return handler(it, args, keywords, node, frame)
    if dotted in _PLAIN:
        return _PLAIN[dotted]
    if dotted in _PASSING:
        return _passing(it, args, keywords, frame)
    knowledge = load()
    if knowledge.is_module_class(dotted):
        return External(dotted, constructor_args(dotted, args, keywords))
    if dotted.startswith("torch."):
        return torch_result(it, dotted, args, keywords, node, frame)
    return _other(it, dotted, args, keywords, node, frame)


def _other(
    it: Interpreter, dotted: str, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """Something outside torch and the standard names: the project index first, then what the name and arguments suggest."""
    found = outer.project_call(it, dotted, args, keywords, frame, node)
    if found is not None:
        return found
    it.call_passed(args, keywords, frame)
    last = dotted.rpartition(".")[2]
    if last in ("getLogger", "get_logger"):
        return External("logging.Logger")
    if dotted.startswith("numpy."):
        return numpy_result(dotted, args, keywords, node)
    if dotted.startswith("builtins."):
        return UNKNOWN
    if last[:1].isupper():
        return External(dotted)
    if last.startswith(_PREDICATE_NAMES):
        return BOOL
    if any(isinstance(drop_none(arg), Tensor) for arg in args) and not dotted.startswith("builtins."):
        return Tensor(False)
    return UNKNOWN


_PREDICATE_NAMES = ("is_", "_is_", "has_", "_has_", "should_", "can_", "exists", "use_")


def _passing(it: Interpreter, args: list[Value], keywords: Keywords, frame: Frame) -> Value:
    return args[0] if args else UNKNOWN


_PASSING = {
    "torch.compile", "torch.vmap", "torch.func.vmap", "torch.func.grad", "torch.jit.ignore", "functools.wraps", "functools.lru_cache",
    "functools.cache",
}  # fmt: skip
_PLAIN: dict[str, Value] = {
    "builtins.isinstance": BOOL, "builtins.issubclass": BOOL, "builtins.hasattr": BOOL, "builtins.callable": BOOL,
    "builtins.str": STR, "builtins.repr": STR, "builtins.format": STR, "builtins.type": PYTHON, "builtins.id": INT,
    "builtins.hash": INT, "builtins.ord": INT, "builtins.chr": STR, "builtins.print": NONE, "builtins.slice": PYTHON,
    "builtins.input": STR, "os.getpid": INT, "time.time": FLOAT, "time.perf_counter": FLOAT, "time.monotonic": FLOAT,
    "random.random": FLOAT, "random.choice": UNKNOWN, "os.getenv": STR,
    "logging.getLogger": External("logging.Logger"), "torch.nn.functional.handle_torch_function": UNKNOWN,
    "torch.overrides.has_torch_function": BOOL, "torch.overrides.is_tensor_like": BOOL, "torch.get_default_dtype": PYTHON,
    "torch.finfo": PYTHON, "torch.iinfo": PYTHON, "torch.device": PYTHON, "torch.is_tensor": BOOL, "torch.is_storage": BOOL,
}  # fmt: skip
_HANDLERS: dict[str, Callable[..., Value]] = {**BUILTINS, **HANDLERS}
