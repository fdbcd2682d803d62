"""The abstract values of the evidence analysis: what an expression is known to be, and how well.

Values are compared and hashed by what they say, not by where they come from, so that a call with the same kinds of arguments is
analysed once. They are never changed after they are made (not frozen only because that triples the cost of making one).
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo
    from flake8_torchtrace.source.frame import Frame

Origin = tuple[str, int]
"""Where a value comes from, for people: a phrase such as ``torch.ones`` and the 1-based line."""


# Containers of containers, built up in loops, double with every turn; beyond this their contents are not followed.
_LARGEST = 120
_MOST_ITEMS = 64


class Value:
    """Base of all values."""

    __slots__ = ()


@dataclass(slots=True, unsafe_hash=True)
class Unknown(Value):
    """Nothing is known."""


@dataclass(slots=True, unsafe_hash=True)
class Tensor(Value):
    """A tensor. ``sure`` when the code proves it; ``dtype`` is ``bool``, ``int``, ``float`` or empty when not known; ``is_scalar`` when it is
    known to have no dimensions; ``by_convention`` where nothing speaks for it but an annotation, or that forwards are given tensors;
    ``has_data_size`` where data decides how long its first dimension is; ``is_computed`` where it comes out of a call that gives tensors or
    out of a tensor, so that it is one even where a number belongs."""

    sure: bool = True
    dtype: str = ""
    origin: Origin | None = field(default=None, compare=False)
    is_scalar: bool = False
    by_convention: bool = field(default=False, compare=False)
    has_data_size: bool = False
    is_computed: bool = field(default=False, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Drawn(Value):
    """A Python number taken out of tensors at ``node``, ``by`` a call such as ``item``, ``int`` or ``equal``; known only when the
    graph has run."""

    node: ast.AST = field(hash=False)
    sure: bool = True
    by: str = "item"


@dataclass(slots=True, unsafe_hash=True)
class Python(Value):
    """A Python value that is not a tensor. ``type`` is its type's name; ``const`` its truth value where that is known; ``is_data`` for the
    length of a dimension that data decides, and for what is computed from one."""

    type: str = ""
    const: bool | None = None
    is_data: bool = False


@dataclass(slots=True, unsafe_hash=True)
class Sequence(Value):
    """A tuple, list or other iterable: its ``items`` where their number is known, else what any ``element`` is."""

    element: Value
    items: tuple[Value, ...] | None = None
    type: str = "list"
    size: int = field(default=1, init=False, compare=False)

    def __post_init__(self) -> None:
        if self.items is not None and len(self.items) > _MOST_ITEMS:
            self.items = None
        self.size = 1 + size_of(self.element) + sum(map(size_of, self.items or ()))
        if self.size > _LARGEST:
            self.element, self.items, self.size = UNKNOWN, None, 1


@dataclass(slots=True, unsafe_hash=True)
class Mapping(Value):
    """A dict: what its values are, and which string keys are known to hold what."""

    element: Value
    keys: tuple[tuple[str, Value], ...] = ()
    size: int = field(default=1, init=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.keys) > _MOST_ITEMS:
            self.keys = ()
        self.size = 1 + size_of(self.element) + sum(size_of(value) for _, value in self.keys)
        if self.size > _LARGEST:
            self.element, self.keys, self.size = UNKNOWN, (), 1


@dataclass(slots=True, unsafe_hash=True)
class Ref(Value):
    """Something outside the file, by dotted name: a module, function, class or constant."""

    dotted: str


@dataclass(slots=True, unsafe_hash=True)
class External(Value):
    """An instance of a class outside the file."""

    dotted: str
    args: tuple[Value, ...] = ()


@dataclass(slots=True, unsafe_hash=True)
class Func(Value):
    """A function of the file, with what is bound to it."""

    info: FunctionInfo
    bound: Value | None = None
    closure: Frame | None = field(default=None, compare=False)
    args: tuple[Value, ...] = ()


@dataclass(slots=True, unsafe_hash=True)
class Class(Value):
    """A class of the file."""

    info: ClassInfo


@dataclass(slots=True, unsafe_hash=True)
class Instance(Value):
    """An instance of a class of the file."""

    info: ClassInfo


@dataclass(slots=True, unsafe_hash=True)
class Method(Value):
    """A method of a value that is not an instance of a class of the file (``x.sum`` before it is called)."""

    receiver: Value
    name: str


@dataclass(slots=True, unsafe_hash=True)
class Super(Value):
    """``super()`` inside a method of ``info``, for ``bound``."""

    info: ClassInfo
    bound: Value


@dataclass(slots=True, unsafe_hash=True)
class Union(Value):
    """One of several."""

    options: tuple[Value, ...]


def size_of(value: Value) -> int:
    """How many values ``value`` is made of."""
    if isinstance(value, Sequence | Mapping):
        return value.size
    return sum(map(size_of, value.options)) if isinstance(value, Union) else 1


UNKNOWN = Unknown()
NONE = Python("None", False)
INT = Python("int")
FLOAT = Python("float")
BOOL = Python("bool")
STR = Python("str")
SIZE = Sequence(INT, None, "size")
DATA_SIZE = Python("int", None, True)
DATA_ANSWER = Python("bool", None, True)
DATA_SIZES = Sequence(DATA_SIZE, None, "size")
"""The shape of a tensor whose first dimension is data."""
PYTHON = Python()
TRUE = Python("bool", True)
FALSE = Python("bool", False)

_MOST_OPTIONS = 5
_MOST_CALLABLES = 64


def options(value: Value) -> tuple[Value, ...]:
    """The alternatives of ``value``: itself unless it is a union."""
    return value.options if isinstance(value, Union) else (value,)


def join(first: Value, second: Value) -> Value:
    """What holds when either may be the case."""
    if first is second or first == second:
        return first
    merged: list[Value] = []
    for option in (*options(first), *options(second)):
        _add(merged, option)
    if len(merged) == 1:
        return merged[0]
    callables = sum(isinstance(option, Ref | Func | Class) for option in merged)
    if callables > _MOST_CALLABLES or len(merged) - callables > _MOST_OPTIONS:
        return UNKNOWN
    return Union(tuple(merged))


def join_all(values: list[Value]) -> Value:
    """The join of all; ``UNKNOWN`` of none."""
    if not values:
        return UNKNOWN
    result = values[0]
    for value in values[1:]:
        result = join(result, value)
    return result


def _add(merged: list[Value], option: Value) -> None:
    for index, other in enumerate(merged):
        if other == option:
            return
        fused = _fuse(other, option)
        if fused is not None:
            merged[index] = fused
            return
    merged.append(option)


def _fuse(first: Value, second: Value) -> Value | None:
    """One value for two of the same kind, or None when they must stay apart."""
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        # Proven on one path is enough: whoever takes that path breaks.
        best = first if first.sure or not second.sure else second
        dtype = first.dtype if first.dtype == second.dtype else ""
        is_scalar = first.is_scalar and second.is_scalar
        has_data_size = first.has_data_size or second.has_data_size
        by_convention = first.by_convention and second.by_convention
        return Tensor(best.sure, dtype, best.origin, is_scalar, by_convention, has_data_size, best.is_computed)
    if isinstance(first, Python) and isinstance(second, Python) and "None" not in (first.type, second.type):
        return Python(first.type if first.type == second.type else "", None, first.is_data or second.is_data)
    if isinstance(first, Sequence) and isinstance(second, Sequence):
        return _fuse_sequences(first, second)
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return Mapping(_join_elements(first.element, second.element))
    if isinstance(first, Drawn) and isinstance(second, Drawn):
        return first
    return None


def _fuse_sequences(first: Sequence, second: Sequence) -> Sequence:
    kind = first.type if first.type == second.type else "list"
    if first.items is not None and second.items is not None and len(first.items) == len(second.items):
        items = tuple(join(a, b) for a, b in zip(first.items, second.items, strict=True))
        return Sequence(_join_elements(first.element, second.element), items, kind)
    return Sequence(_join_elements(first.element, second.element), None, kind)


def _join_elements(first: Value, second: Value) -> Value:
    """Elements of an empty container are unknown; what is put in later decides."""
    if first is UNKNOWN:
        return second
    if second is UNKNOWN:
        return first
    return join(first, second)


def tensor_of(value: Value) -> Tensor | None:
    """The tensor that ``value`` is or may be: sure only if every alternative is one, or a number that tensors are added to; None when no
    alternative is."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Union):
        found = [option for option in value.options if isinstance(option, Tensor)]
        if found:
            # `total = 0` before a loop that adds tensors to it.
            rest = [option for option in value.options if not isinstance(option, Tensor)]
            is_sum = all(isinstance(option, Python) and option.type in ("int", "float") for option in rest)
            return Tensor(is_sum and found[0].sure, found[0].dtype, found[0].origin)
    return None


def drop_none(value: Value) -> Value:
    """``value`` once it is known not to be None."""
    if isinstance(value, Union):
        rest = tuple(option for option in value.options if option != NONE)
        if len(rest) == 1:
            return rest[0]
        return Union(rest) if rest else UNKNOWN
    return UNKNOWN if value == NONE else value


def weaken(value: Value) -> Value:
    """``value`` with every proof taken back."""
    if isinstance(value, Tensor):
        return Tensor(False, value.dtype, value.origin) if value.sure else value
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(weaken(item) for item in value.items)
        return Sequence(weaken(value.element), items, value.type)
    if isinstance(value, Mapping):
        return Mapping(weaken(value.element), tuple((key, weaken(item)) for key, item in value.keys))
    if isinstance(value, Union):
        return Union(tuple(weaken(option) for option in value.options))
    return value


def known_truth(value: Value) -> bool | None:
    """The truth of ``value`` where the analysis knows it."""
    if isinstance(value, Python):
        return value.const
    if isinstance(value, Ref):
        return False if value.dotted in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING") else None
    if isinstance(value, Func | Class | Instance | Method):
        return True if isinstance(value, Func | Class) else None
    if isinstance(value, Union):
        truths = {known_truth(option) for option in value.options}
        return truths.pop() if len(truths) == 1 else None
    return None
