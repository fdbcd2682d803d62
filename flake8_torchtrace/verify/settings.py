"""Settings of Python and torch that code can change for all of its process."""

from __future__ import annotations

import builtins
import logging
import os
import random
import sys
import warnings
from collections.abc import Mapping
from typing import Any

_OF_TORCH = (
    "get_default_dtype", "get_default_device", "is_grad_enabled", "is_inference_mode_enabled", "is_autocast_enabled", "is_autocast_cache_enabled",
    "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled", "get_num_threads", "get_float32_matmul_precision",
)  # fmt: skip
_PATCHED = ("torch", "torch.nn.functional", "torch.Tensor", "torch.nn.Module", "logging.Logger", "random.Random")


def settings() -> list[Any]:
    """All of them, to be compared with ``==`` to what they are later. Not seeds, which are set anew for every run."""
    torch: Any = sys.modules["torch"]
    found: list[Any] = [dict(os.environ), os.getcwd(), list(sys.path), list(warnings.filters), id(sys.stdout), id(sys.stderr), *_of_logging()]
    found += [str(getattr(torch, name)()) for name in _OF_TORCH if hasattr(torch, name)]
    found += [_Names(vars(builtins)), *(_Names(vars(place)) for place in map(_place, _PATCHED) if place is not None)]
    hooks = sys.modules.get("torch.nn.modules.module")
    of_hooks = sorted(vars(hooks).items()) if hooks else []
    found += [len(value) for name, value in of_hooks if name.startswith("_global_") and hasattr(value, "__len__")]
    config = getattr(sys.modules.get("torch._dynamo.config"), "_config", {})
    found.append({name: repr(getattr(entry, "user_override", entry)) for name, entry in config.items()})
    return found


class _Names:
    """Names and what they stand for, equal to what has all of them: torch adds to its modules when it is first used."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self._names = dict(names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Names) and (self._has(other) or other._has(self))

    def _has(self, other: _Names) -> bool:
        return all(name in self._names and self._names[name] is value for name, value in other._names.items())

    __hash__ = None  # type: ignore[assignment]


def _place(name: str) -> Any:
    parts = name.split(".")
    found: Any = sys.modules.get(parts[0], random if parts[0] == "random" else None)
    for part in parts[1:]:
        found = getattr(found, part, None)
    return found


def _of_logging() -> list[Any]:
    """What is set of any logger; one that is only looked up has nothing set."""
    named = [(name, item) for name, item in sorted(logging.root.manager.loggerDict.items()) if isinstance(item, logging.Logger)]
    loggers = [("", logging.root), *named]
    plain = (logging.NOTSET, (), (), True, False)
    told = [(name, _of_logger(item)) for name, item in loggers]
    return [logging.root.manager.disable, [item for item in told if item[1] != plain]]


def _of_logger(logger: logging.Logger) -> tuple[Any, ...]:
    return logger.level, tuple(map(id, logger.handlers)), tuple(map(id, logger.filters)), logger.propagate, logger.disabled
