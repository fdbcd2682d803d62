"""What people write of dynamic dimensions, as the plain data that ``tracing.dynamic`` takes.

It may be what ``torch.export.export`` takes as ``dynamic_shapes``: by name or by position, a mapping or a sequence for each
tensor, with ``Dim`` objects, derived ones too, ``Dim.AUTO``, ``Dim.DYNAMIC``, ``Dim.STATIC``, None or the size itself; or a
``ShapesCollection``. In place of a ``Dim`` there may be plain data: ``"b"``, ``'Dim("b", min=4, max=8)'``,
``{"name": "b", "min": 4, "max": 8}`` of which each may be left out, ``"auto"``, ``"dynamic"``, ``"static"``; the numbers of
dimensions may be strings.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

from .mistakes import InputsError, calling, kind

Plain = dict[str, dict[str, dict[str, Any]]]
_HINTS = ("auto", "dynamic", "static")
_KEYS = ("name", "min", "max")


def plain_dims(what: str, given: Any, module: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Plain:
    """``given`` as ``{index of the leaf: {dimension: entry}}``, keys as strings. Raises InputsError naming ``what`` and the argument."""
    return _Reader(what, module, args, kwargs).read(given)


class _Reader:
    def __init__(self, what: str, module: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        from torch.utils import _pytree

        self._what = f"{what}: dynamic_shapes"
        self._module, self._args, self._kwargs = module, args, kwargs
        self._indexes: dict[int, list[int]] = {}
        for index, value in enumerate(_pytree.tree_flatten((args, kwargs))[0]):
            self._indexes.setdefault(id(value), []).append(index)
        self._ranges: dict[str, dict[str, Any]] = {}
        self._found: Plain = {}

    def read(self, given: Any) -> Plain:
        if hasattr(given, "dynamic_shapes"):  # ShapesCollection, AdditionalInputs
            given = calling(self._what, lambda: given.dynamic_shapes(self._module, self._args, self._kwargs))
        named = self._named()
        if isinstance(given, (list, tuple)):
            if len(given) != len(named):
                raise InputsError(f"{self._what}: {len(given)} entries for {len(named)} arguments ({', '.join(named)})")
            given = dict(zip(named, given, strict=True))
        if not isinstance(given, Mapping):
            raise InputsError(f"{self._what} must be a dict by argument or a tuple with one entry for each, not {kind(given)}")
        for name, entry in given.items():
            if name not in named:
                raise InputsError(f"{self._what}: there is no argument {name!r}; the arguments are {', '.join(named) or 'none'}")
            self._walk(str(name), entry, named[name])
        return self._found

    def _named(self) -> dict[str, Any]:
        """The arguments by the names of the signature; what goes into ``**kwargs`` by its own name too."""
        try:
            signature = inspect.signature(getattr(self._module, "forward", self._module))
            bound = dict(signature.bind(*self._args, **self._kwargs).arguments)
        except (TypeError, ValueError):
            return {f"args[{number}]": value for number, value in enumerate(self._args)} | self._kwargs
        for name, parameter in signature.parameters.items():
            if parameter.kind is inspect.Parameter.VAR_KEYWORD and name in bound:
                bound |= bound.pop(name)
        return bound

    def _walk(self, path: str, entry: Any, value: Any) -> None:
        import torch

        if entry is None:
            return
        if isinstance(value, torch.Tensor):
            self._tensor(path, entry, value)
        elif isinstance(value, Mapping):
            self._mapping(path, entry, value)
        elif isinstance(value, (list, tuple)):
            if not isinstance(entry, (list, tuple)) or len(entry) != len(value):
                raise InputsError(f"{self._what} of {path} must be a sequence of {len(value)}, as the argument is, not {kind(entry)}")
            for number, (inner, item) in enumerate(zip(entry, value, strict=True)):
                self._walk(f"{path}[{number}]", inner, item)
        elif not _says_nothing(entry):
            raise InputsError(f"{self._what} of {path}: only tensors have dimensions, this is {kind(value)}")

    def _mapping(self, path: str, entry: Any, value: Mapping[Any, Any]) -> None:
        if not isinstance(entry, Mapping):
            raise InputsError(f"{self._what} of {path} must be a dict, as the argument is, not {kind(entry)}")
        for key, inner in entry.items():
            if key not in value:
                raise InputsError(f"{self._what} of {path}: there is no key {key!r}; the keys are {', '.join(map(repr, value))}")
            self._walk(f"{path}[{key!r}]", inner, value[key])

    def _tensor(self, path: str, entry: Any, value: Any) -> None:
        if isinstance(entry, (list, tuple)):
            if len(entry) != value.dim():
                raise InputsError(f"{self._what} of {path}: {len(entry)} entries for a tensor of {value.dim()} dimensions")
            entry = dict(enumerate(entry))
        if not isinstance(entry, Mapping):
            raise InputsError(f"{self._what} of {path} must be a dict from dimension to Dim, not {kind(entry)}")
        found: dict[str, dict[str, Any]] = {}
        for key, item in entry.items():
            dim = self._number(path, key, value)
            if isinstance(item, Mapping) and "name" not in item:
                item = {**item, "name": "_".join([*re.findall(r"\w+", path), str(dim)])}
            made = self._entry(f"{self._what} of {path}, dimension {dim}", item, value.shape[dim])
            if made is not None:
                found[str(dim)] = made
        indexes = self._indexes[id(value)]
        self._found[str(indexes.pop(0) if len(indexes) > 1 else indexes[0])] = found

    def _number(self, path: str, key: Any, value: Any) -> int:
        text = str(key)
        if isinstance(key, bool) or not text.lstrip("-").isdigit() or not -value.dim() <= int(text) < value.dim():
            raise InputsError(f"{self._what} of {path}: there is no dimension {key!r} in a tensor of size {list(value.shape)}")
        dim: int = int(text) % value.dim()
        return dim

    def _entry(self, what: str, item: Any, size: int) -> dict[str, Any] | None:
        made = _entry(what, item, size)
        if made is None or "name" not in made:
            return made
        lower, upper = made.get("min"), made.get("max")
        if lower is not None and upper is not None and lower > upper:
            raise InputsError(f"{what}: {made['name']} has min={lower} above max={upper}")
        known = self._ranges.setdefault(made["name"], {key: made.get(key) for key in ("min", "max")})
        bare = lower is None and upper is None
        if bare:
            made |= known
        elif known == {"min": None, "max": None}:
            known |= {"min": lower, "max": upper}
        elif known != {"min": lower, "max": upper}:
            raise InputsError(f"{what}: {made['name']} has another range than before ({_range(known)})")
        root, rest = divmod(size - made.get("plus", 0), made.get("times", 1))
        if rest or not (made.get("min") or 0) <= root <= (root if made.get("max") is None else made["max"]):
            raise InputsError(f"{what}: the example has size {size}, outside of {made['name']} ({_range(made)})")
        return made


def _entry(what: str, item: Any, size: int) -> dict[str, Any] | None:
    if item is None or _hint(item) == "static":
        return None
    if isinstance(item, bool):
        raise InputsError(f"{what}: {item!r} is no Dim")
    if isinstance(item, int):
        if item != size:
            raise InputsError(f"{what}: {item} is asked for, and the example has {size}")
        return None
    hint = _hint(item)
    if hint is not None:
        return {"kind": hint}
    if isinstance(item, str):
        return _named(what, item)
    if isinstance(item, Mapping):
        return _mapped(what, item)
    return _from_dim(what, item)


def _hint(item: Any) -> str | None:
    """Which of torch's markers an entry is: ``Dim.AUTO`` is ``_DimHint`` with a ``type``, or itself a member of an enum."""
    if isinstance(item, str):
        return item.lower() if item.lower() in _HINTS else None
    name = getattr(getattr(item, "type", item), "name", None)
    return name.lower() if isinstance(name, str) and name.lower() in _HINTS else None


def _named(what: str, text: str) -> dict[str, Any]:
    if text.isidentifier():
        return {"name": text}
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "Dim":
            values = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}
            (name,) = [ast.literal_eval(value) for value in call.args]
            return _mapped(what, {"name": name, **values})
    except (SyntaxError, ValueError):
        pass
    raise InputsError(f"{what}: cannot read {text!r}; write a name, or 'Dim(\"b\", min=4, max=8)'")


def _mapped(what: str, item: Mapping[Any, Any]) -> dict[str, Any]:
    unknown = [key for key in item if key not in _KEYS]
    if unknown or not isinstance(item.get("name"), str) or not item["name"].isidentifier():
        raise InputsError(f"{what}: {dict(item)!r} must have a name, and may have min and max")
    for key in ("min", "max"):
        limit = item.get(key)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 0):
            raise InputsError(f"{what}: {key} must be a whole number, not {limit!r}")
    return {key: item[key] for key in _KEYS if item.get(key) is not None}


def _from_dim(what: str, item: Any) -> dict[str, Any]:
    """A ``Dim`` of torch, or one derived from another by torch's arithmetic: ``2 * b + 1``."""
    root = getattr(item, "root", None)
    if root is not None and callable(getattr(item, "fn", None)):
        plus = int(item.fn(0))
        made = {**_from_dim(what, root), "times": int(item.fn(1)) - plus, "plus": plus}
        return made
    name = getattr(item, "__name__", None)
    if not isinstance(name, str) or not hasattr(item, "min") or not hasattr(item, "max"):
        raise InputsError(f"{what}: {kind(item)} is no Dim")
    limits = {"min": _limit(item.min, least=True), "max": _limit(item.max, least=False)}
    return {"name": name, **{key: value for key, value in limits.items() if value is not None}}


def _limit(limit: Any, least: bool) -> int | None:
    try:
        number = int(limit)
    except (OverflowError, TypeError, ValueError, AttributeError):  # torch's infinity
        return None
    if (least and number <= 0) or number >= 2**40:
        return None
    return number


def _range(entry: Mapping[str, Any]) -> str:
    lower, upper = entry.get("min"), entry.get("max")
    return f"min={lower}, max={upper}" if entry.get("times", 1) == 1 else f"min={lower}, max={upper}, {entry['times']} times that"


def _says_nothing(entry: Any) -> bool:
    if isinstance(entry, Mapping):
        return all(_says_nothing(item) for item in entry.values())
    if isinstance(entry, (list, tuple)):
        return all(_says_nothing(item) for item in entry)
    return entry is None
