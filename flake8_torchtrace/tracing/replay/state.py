"""What a call can change and leave behind, as digests that tell whether it did."""

from __future__ import annotations

import functools
import os
import random
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from types import ModuleType
from typing import Any

from ..paths import real_path

# What is changed ("attribute", "buffer", "parameter", "global", "environment", "generator") and its name
Key = tuple[str, str]
Snapshot = dict[Key, Any]
FAKE = "a fake tensor"
_DEPTH = 4
_MOST = 200
_SYMBOLS = ("SymInt", "SymFloat", "SymBool")
_PLAIN = (int, float, complex, str, bytes, bool, type(None))


def snapshot(module: Any, modules: Iterable[ModuleType]) -> Snapshot:
    """Everything that a call of ``module`` may leave changed, with the globals of ``modules``."""
    return dict(_entries(module, tuple(modules)))


def probe(key: Key, module: Any, modules: Iterable[ModuleType]) -> Any:
    """The digest that `snapshot` has for one key; None where there is nothing of that name."""
    kind, name = key
    if kind in ("buffer", "parameter", "attribute"):
        path, _, last = name.rpartition(".")
        try:
            owner = module.get_submodule(path) if path else module
        except AttributeError:
            return None
        table = {"buffer": "_buffers", "parameter": "_parameters"}.get(kind)
        values = vars(owner) if table is None else vars(owner).get(table, {})
        return digest(values[last]) if last in values else None
    if kind == "global":
        return dict(_globals(modules)).get(key)
    if kind == "environment":
        return os.environ.get(name)
    return dict(_generators()).get(key)


def changed(before: Snapshot, after: Snapshot) -> list[Key]:
    """The keys whose digest differs, or that only one of the two has."""
    return sorted(key for key in {*before, *after} if before.get(key) != after.get(key))


def holds_fake(value: Any) -> bool:
    """Whether a digest contains a fake tensor or a symbol of the tracer."""
    return value == FAKE or (isinstance(value, tuple) and any(map(holds_fake, value)))


def digest(value: Any, depth: int = _DEPTH) -> Any:
    """A value as nested tuples that are equal while it is unchanged; objects that cannot be looked into by identity."""
    import torch
    from torch._subclasses.fake_tensor import FakeTensor

    if isinstance(value, FakeTensor) or type(value).__name__ in _SYMBOLS:
        return FAKE
    if isinstance(value, torch.Tensor):
        return _of_tensor(value)
    if isinstance(value, _PLAIN):
        return (type(value).__name__, repr(value))
    if isinstance(value, random.Random):
        return hash(value.getstate())
    if depth == 0:
        return id(value)
    inner = _inside(value)
    return id(value) if inner is None else (type(value).__name__, len(inner), *(digest(item, depth - 1) for item in inner[-_MOST:]))


def _inside(value: Any) -> list[Any] | None:
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, Mapping):
        return [*value.keys(), *value.values()]
    kind = type(value)
    if kind.__module__ == "numpy.random._generator":
        return [value.bit_generator.state]
    if kind.__module__ == "numpy":
        return [repr(value)]
    if kind.__module__ == "collections" and hasattr(value, "__iter__"):
        return list(value)
    foreign = kind.__module__.partition(".")[0] in ("torch", *sys.stdlib_module_names)
    if foreign or isinstance(value, (type, ModuleType)) or callable(value):
        return None
    return list(vars(value).values()) if hasattr(value, "__dict__") else None


def _of_tensor(value: Any) -> Any:
    import torch

    try:
        data = value.detach().contiguous().reshape(-1).view(torch.uint8).numpy()
        return ("tensor", tuple(value.shape), str(value.dtype), zlib.crc32(data))
    except (RuntimeError, TypeError, NotImplementedError):  # sparse, nested, meta, no numpy
        return ("tensor", str(value.dtype), value._version)


def _entries(module: Any, modules: tuple[ModuleType, ...]) -> Iterator[tuple[Key, Any]]:
    import torch

    if isinstance(module, torch.nn.Module):
        own = {*vars(torch.nn.Module()), *names_of_torch()} - {"training"}
        for prefix, part in module.named_modules():
            dotted = f"{prefix}." if prefix else ""
            for kind, table in (("buffer", part._buffers), ("parameter", part._parameters)):
                yield from (((kind, dotted + name), digest(value)) for name, value in table.items() if value is not None)
            yield from ((("attribute", dotted + name), digest(value)) for name, value in vars(part).items() if name not in own)
    yield from _globals(modules)
    yield from ((("environment", name), value) for name, value in os.environ.items())
    yield from _generators()


@functools.cache
def names_of_torch() -> frozenset[str]:
    """Attributes that exporting puts on a module, whatever that does: measured on one that does nothing."""
    import torch

    plain = torch.nn.Identity()
    before = set(vars(plain))
    for strict in (True, False):
        torch.export.export(plain, (torch.ones(2),), strict=strict)
    return frozenset(set(vars(plain)) - before)


def _globals(modules: Iterable[ModuleType]) -> Iterator[tuple[Key, Any]]:
    for module in modules:
        for name, value in list(vars(module).items()):
            if name.startswith("__"):
                continue
            if isinstance(value, type):
                if value.__module__ == module.__name__:
                    yield from _class(f"{name}.", value)
            elif not callable(value) and not isinstance(value, ModuleType):
                yield ("global", name), digest(value)


def _class(prefix: str, owner: type) -> Iterator[tuple[Key, Any]]:
    for name, value in list(vars(owner).items()):
        if not name.startswith("__") and not callable(value) and isinstance(value, (*_PLAIN, list, dict, set)):
            yield ("global", prefix + name), digest(value)


def _generators() -> Iterator[tuple[Key, Any]]:
    import torch

    yield ("generator", "random"), hash(random.getstate())
    yield ("seed", "torch"), torch.initial_seed()
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        state = numpy.random.get_state()
        yield ("generator", "numpy.random"), hash((state[1].tobytes(), *state[2:]))


def modules_of(paths: Iterable[str]) -> list[ModuleType]:
    """The imported modules whose files are among ``paths`` (real paths)."""
    wanted = set(paths)
    found = {}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) if isinstance(module, ModuleType) else None
        if isinstance(file, str) and real_path(file) in wanted:
            found[id(module)] = module
    return list(found.values())
