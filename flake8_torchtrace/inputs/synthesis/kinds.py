"""What an annotation asks for."""

from __future__ import annotations

import collections.abc
import enum
import inspect
import types
import typing
from dataclasses import dataclass
from typing import Any

from .signatures import MISSING

_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection, collections.abc.MutableSequence)
_DICTS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
_TENSOR_TEXT = ("Tensor", "Float[", "Int[", "Bool[")
_TYPED = {"LongTensor": "int64", "IntTensor": "int32", "BoolTensor": "bool", "FloatTensor": "float32"}


@dataclass(frozen=True)
class Kind:
    """``word``: tensor, int, float, bool, str, literal, callable, type, class, list, tuple, dict, none or unknown.

    ``items`` are the kinds of what a container holds, ``choices`` the values of a literal, ``cls`` the class asked for,
    ``dims`` the names of a tensor's dimensions where the annotation says them, and ``dtype`` its type.
    """

    word: str
    items: tuple[Kind, ...] = ()
    choices: tuple[Any, ...] = ()
    cls: Any = None
    dims: tuple[str, ...] | None = None
    dtype: str = ""
    is_optional: bool = False


UNKNOWN = Kind("unknown")
_PREFERRED = ("tensor", "class", "int", "float", "tuple", "list", "bool", "literal", "str", "callable", "type", "dict", "unknown", "none")


def kind_of(annotation: Any) -> Kind:
    """The kind that an annotation, an object or a text, asks for."""
    if annotation is MISSING or annotation is Any:
        return UNKNOWN
    if isinstance(annotation, str):
        return _of_text(annotation)
    if annotation is None or annotation is type(None):
        return Kind("none")
    if getattr(annotation, "dim_str", None) is not None:
        return _of_named_dims(annotation)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return kind_of(arguments[0])
    if origin in (typing.Union, types.UnionType):
        return _of_union([kind_of(argument) for argument in arguments])
    if origin is typing.Literal:
        return Kind("literal", choices=arguments)
    if origin is not None:
        return _of_generic(origin, arguments)
    return _of_class(annotation)


def _of_class(annotation: Any) -> Kind:
    if not isinstance(annotation, type):
        supertype = getattr(annotation, "__supertype__", None) or getattr(annotation, "__bound__", None)
        return kind_of(supertype) if supertype is not None else Kind("callable") if annotation is typing.Callable else UNKNOWN
    for plain in (bool, int, float, str):
        if annotation is plain:
            return Kind(plain.__name__)
    if annotation in _LISTS:
        return Kind("list")
    if annotation is tuple:
        return Kind("tuple")
    if annotation in _DICTS:
        return Kind("dict")
    if annotation is collections.abc.Callable:
        return Kind("callable")
    if annotation in (type, object):
        return Kind("type") if annotation is type else UNKNOWN
    if issubclass(annotation, enum.Enum):
        return Kind("literal", choices=tuple(annotation))
    name = annotation.__name__
    if annotation.__module__.partition(".")[0] == "torch" and name.endswith("Tensor"):
        return Kind("tensor", dtype=_TYPED.get(name, ""))
    return Kind("class", cls=annotation)


def _of_generic(origin: Any, arguments: tuple[Any, ...]) -> Kind:
    if origin in _LISTS:
        return Kind("list", tuple(kind_of(argument) for argument in arguments))
    if origin is tuple:
        return Kind("tuple", tuple(kind_of(argument) for argument in arguments if argument is not Ellipsis) * (2 if Ellipsis in arguments else 1))
    if origin in _DICTS:
        return Kind("dict", tuple(kind_of(argument) for argument in arguments))
    if origin is collections.abc.Callable:
        return Kind("callable", cls=arguments[-1] if arguments else None)
    if origin is type:
        return Kind("type", cls=arguments[0] if arguments else None)
    return _of_class(origin)


def _of_union(kinds: list[Kind]) -> Kind:
    is_optional = any(kind.word == "none" for kind in kinds)
    best = min(kinds, key=lambda kind: _PREFERRED.index(kind.word))
    return Kind(best.word, best.items, best.choices, best.cls, best.dims, best.dtype, is_optional or best.is_optional)


def _of_named_dims(annotation: Any) -> Kind:
    """An annotation such as jaxtyping's ``Float[Tensor, "b n d"]``."""
    dtypes = getattr(annotation, "dtypes", ())
    names = " ".join(dtypes) if isinstance(dtypes, (list, tuple)) else str(dtypes)
    dtype = "bool" if names.startswith("bool") else "" if "float" in names or not names else "int64"
    return Kind("tensor", dims=tuple(str(annotation.dim_str).split()), dtype=dtype)


def _of_text(text: str) -> Kind:
    is_optional = "Optional" in text or "None" in text
    for name, dtype in _TYPED.items():
        if name in text:
            return Kind("tensor", dtype=dtype, is_optional=is_optional)
    if any(word in text for word in _TENSOR_TEXT) and not text.lstrip().lower().startswith(("list", "tuple", "dict", "sequence")):
        return Kind("tensor", is_optional=is_optional)
    return Kind(text, is_optional=is_optional) if text in ("int", "float", "bool", "str") else UNKNOWN


def is_module_class(cls: Any) -> bool:
    """Whether instances of ``cls`` are modules: it has a ``forward``, or is torch's own ``Module``."""
    return isinstance(cls, type) and callable(getattr(cls, "named_children", None))


def is_abstract(cls: Any) -> bool:
    """Whether Python refuses to make an instance."""
    return inspect.isabstract(cls)
