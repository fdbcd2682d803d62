"""What a synthesised argument is: something that can be written as Python source, and told in a few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

FLOAT, LONG, INT, BOOL = "float32", "int64", "int32", "bool"
_LONGEST_TOLD = 60


@dataclass(frozen=True)
class TensorValue:
    """A tensor of ``shape``. ``below``: the bound of whole numbers (0: all are ones); ``form`` is ``ramp`` for 0, 1, 2 ..."""

    shape: tuple[int, ...]
    dtype: str = FLOAT
    below: int = 0
    form: str = ""

    @property
    def text(self) -> str:
        """The expression that makes it."""
        shape = ", ".join(map(str, self.shape)) if self.shape else "()"
        if self.form == "ramp":
            ramp = f"torch.arange({self.shape[-1]})"
            return ramp if len(self.shape) == 1 else f"{ramp}.repeat({', '.join(map(str, (*self.shape[:-1], 1)))})"
        if self.form == "sorted":
            return f"torch.randint(0, {self.below}, ({shape},)).sort().values"
        if self.dtype == FLOAT:
            return f"torch.randn({shape})"
        if self.dtype == BOOL or not self.below:
            return f"torch.ones({shape}, dtype=torch.{self.dtype})"
        comma = "," if len(self.shape) == 1 else ""
        shape = f"({', '.join(map(str, self.shape))}{comma})"
        as_int = ", dtype=torch.int32" if self.dtype == INT else ""
        return f"torch.randint(0, {self.below}, {shape}{as_int})"

    @property
    def told(self) -> str:
        """For example ``float32[2, 3, 32, 32]``."""
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True)
class Literal:
    """A value that its ``repr`` makes: a number, a string, None, or a container of such."""

    value: Any

    @property
    def text(self) -> str:
        """The expression that makes it."""
        return repr(self.value)

    told = text


@dataclass(frozen=True)
class Name:
    """Something that a module holds under a dotted name: a class, a function, a member of an enumeration."""

    module: str
    name: str

    @property
    def text(self) -> str:
        """The expression that reads it."""
        return self.name

    told = text


@dataclass(frozen=True)
class Made:
    """A call of ``callee`` with keyword arguments; positional ones first, under the names ``0``, ``1``, ..."""

    callee: Name
    arguments: Mapping[str, Value] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The expression that makes it."""
        return f"{self.callee.text}({', '.join(_argument(name, value.text) for name, value in self.arguments.items())})"

    @property
    def told(self) -> str:
        """The same, shortened."""
        text = f"{self.callee.text}({', '.join(_argument(name, value.told) for name, value in self.arguments.items())})"
        return text if len(text) <= _LONGEST_TOLD else f"{self.callee.text}(...)"

    def with_argument(self, name: str, value: Value) -> Made:
        """The same call with one argument set."""
        return replace(self, arguments={**self.arguments, name: value})

    def without(self, name: str) -> Made:
        """The same call without one argument."""
        return replace(self, arguments={key: value for key, value in self.arguments.items() if key != name})


@dataclass(frozen=True)
class Several:
    """A list or a tuple, or with ``names`` a dictionary."""

    items: tuple[Value, ...]
    kind: str = "list"
    names: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The expression that makes it."""
        return self._joined([item.text for item in self.items])

    @property
    def told(self) -> str:
        """The same, shortened."""
        return self._joined([item.told for item in self.items])

    def _joined(self, parts: list[str]) -> str:
        if self.kind == "dict":
            return "{" + ", ".join(f"{name!r}: {part}" for name, part in zip(self.names, parts, strict=True)) + "}"
        joined = ", ".join(parts)
        return f"[{joined}]" if self.kind == "list" else f"({joined}{',' if len(parts) == 1 else ''})"


Value: TypeAlias = TensorValue | Literal | Name | Made | Several


def names_in(value: Value) -> Iterator[Name]:
    """Every name that the expression reads."""
    if isinstance(value, Name):
        yield value
    elif isinstance(value, Made):
        yield value.callee
        for argument in value.arguments.values():
            yield from names_in(argument)
    elif isinstance(value, Several):
        for item in value.items:
            yield from names_in(item)


def told_arguments(arguments: Mapping[str, Value]) -> str:
    """``dim = 32, x = float32[2, 3]``."""
    return ", ".join(f"{name} = {value.told}" if isinstance(value, TensorValue) else f"{name}={value.told}" for name, value in arguments.items())


def _argument(name: str, text: str) -> str:
    return text if name.isdigit() else f"{name}={text}"
