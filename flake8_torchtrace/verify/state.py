"""What code under test can leave behind in its process: whether a run changed anything that a later one could see.

Looked at are all objects that lead from the modules of the user to anything but torch and the standard library, and settings of
Python and torch. An object that cannot be looked into counts as changed.
"""

from __future__ import annotations

import functools
import gc
import operator
import re
import sys
import threading
from collections import deque
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

from .settings import settings

MOST_OBJECTS = 20_000
_MADE_BY_CLASS_STATEMENT = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_PLAIN_NAMES = (
    "builtins: object dict list tuple set frozenset int float complex bool str bytes NoneType ellipsis NotImplementedType slice range"
    " type property staticmethod classmethod function builtin_function_or_method method method_descriptor wrapper_descriptor"
    " getset_descriptor member_descriptor classmethod_descriptor method-wrapper mappingproxy code cell module weakref"
    " BaseException Exception,"
    "functools: partial _lru_cache_wrapper,collections: OrderedDict defaultdict deque,re: Pattern,types: GenericAlias UnionType,"
    "weakref: ReferenceType,_operator: itemgetter attrgetter,operator: itemgetter attrgetter,_abc: _abc_data,"
    "collections: _tuplegetter,decimal: Decimal,datetime: date datetime timedelta timezone"
)
_OF_DYNAMO = re.compile(r"torch_dynamo_resume_in_|__resume_at_|__compiled_fn_|__import_|__builtins_dict__|___\w")
_PLAIN = frozenset(
    f"{module.strip()}.{name}" for part in _PLAIN_NAMES.split(",") for module, _, names in [part.partition(":")] for name in names.split()
)


class TooMuchError(Exception):
    """There is too much to look at, or something that cannot be looked into."""


class State:
    """The state of this process as it is now. ``before``: names of the modules that are not the user's. Raises TooMuchError."""

    def __init__(self, before: Iterable[str]) -> None:
        self._not_own = {name.partition(".")[0] for name in before} | set(sys.stdlib_module_names)
        self._modules = self._own_modules()
        self._names = {id(module): set(vars(module)) for module in self._modules.values()}
        self._settings = settings()
        self._threads = threading.active_count()
        self._objects, self._contents = _reachable([vars(module) for module in self._modules.values()])

    def is_unchanged(self) -> bool:
        """Whether all is as it was."""
        if threading.active_count() != self._threads or settings() != self._settings:
            return False
        now = self._own_modules()
        if list(now) != list(self._modules) or any(now[name] is not module for name, module in self._modules.items()):
            return False
        for module in now.values():
            _without_code_of_dynamo(vars(module), self._names[id(module)])
        same = all(_are_same(refers, _referents(item)) for item, refers in self._objects)
        return same and all(content == _content(item) for item, content in self._contents)

    def _own_modules(self) -> dict[str, ModuleType]:
        found = dict(sys.modules)
        return {name: found[name] for name in sorted(found) if name.partition(".")[0] not in self._not_own and isinstance(found[name], ModuleType)}


def _reachable(roots: list[Any]) -> tuple[list[tuple[Any, list[Any]]], list[tuple[Any, Any]]]:
    """All that ``roots`` lead to, each with what it refers to, kept so that no later object gets its id; and the contents of arrays."""
    objects: list[tuple[Any, list[Any]]] = []
    contents: list[tuple[Any, Any]] = []
    recent = {id(item) for item in gc.get_objects()}  # without what was frozen before: torch and all that it imports
    pending, seen = deque(roots), {id(item) for item in roots}
    while pending:
        item = pending.popleft()
        refers = _referents(item)
        objects.append((item, refers))
        if len(objects) > MOST_OBJECTS:
            raise TooMuchError
        for other in refers:
            if id(other) in seen or (gc.is_tracked(other) and id(other) not in recent):
                continue
            seen.add(id(other))
            if (content := _content(other)) is not None:
                contents.append((other, content))
            if isinstance(other, (dict, list, tuple, set)) or gc.is_tracked(other):
                pending.append(other)
    return objects, contents


def _referents(item: Any) -> list[Any]:
    if isinstance(item, dict) and "__name__" in item:  # of a module; which warnings it showed does not count
        return [other for key, value in item.items() if key != "__warningregistry__" for other in (key, value)]
    refers = gc.get_referents(item)
    if isinstance(item, FunctionType):  # its dict is made when it is first asked for
        return [other for other in refers if other != {} or type(other) is not dict]
    return refers


def _without_code_of_dynamo(names: dict[str, Any], before: set[str]) -> None:
    """Take out what compiled code has put among the globals of the code it was made from."""
    for name in [name for name in names if name not in before and _OF_DYNAMO.match(name)]:
        del names[name]


def _are_same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(map(operator.is_, one, other))


def _content(item: Any) -> Any:
    """What ``item`` holds besides references; None if nothing. Raises TooMuchError if it cannot be told."""
    kind = type(item)
    torch: Any = sys.modules["torch"]
    if isinstance(item, getattr(torch, "Tensor", ())):
        return _of_tensor(item, torch)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(item, numpy.ndarray):
        return item.shape, str(item.dtype), item.tobytes()
    if isinstance(item, (bytearray, memoryview)):
        return bytes(item)
    if not _is_plain(kind):  # type: ignore[arg-type]
        raise TooMuchError(f"{kind.__module__}.{kind.__qualname__}")
    return None


def _of_tensor(item: Any, torch: Any) -> Any:
    kinds = (torch.Tensor, torch.nn.Parameter, torch.nn.parameter.Buffer if hasattr(torch.nn.parameter, "Buffer") else torch.nn.Parameter)
    if type(item) not in kinds or item.layout is not torch.strided or item.device.type != "cpu" or item.numel() > 1_000_000:
        raise TooMuchError("a tensor")
    data = item.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()
    return item._version, item.requires_grad, id(item.grad), tuple(item.shape), item.dtype, data


@functools.cache
def _is_plain(kind: type) -> bool:
    """Whether objects of a class hold nothing but references that the garbage collector is told of, and what never changes."""
    if not isinstance(kind.__module__, str):  # a class may say something else of itself
        return False
    if f"{kind.__module__}.{kind.__qualname__}" in _PLAIN:
        return True
    if kind.__module__.partition(".")[0] == "torch" and not issubclass(kind, _with_data()):
        return True
    if not kind.__flags__ & _MADE_BY_CLASS_STATEMENT or type(kind).__name__ == "pybind11_type":
        return False
    file = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return file.endswith(".py") and all(map(_is_plain, kind.__bases__))


@functools.cache
def _with_data() -> tuple[type, ...]:
    torch: Any = sys.modules["torch"]
    names = ("Tensor", "Generator", "UntypedStorage", "TypedStorage")
    found = [getattr(torch, name, None) for name in names]
    return tuple(kind for kind in found if isinstance(kind, type))


