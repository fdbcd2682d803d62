"""Who is told what the walk meets. The engine listens for the rules; the project index listens for calls that leave the file."""

from __future__ import annotations

import ast

from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.values import Value


class Listener:
    """Hears everything and does nothing; override what is of interest."""

    def called(
        self, node: ast.Call, callee: Value, receiver: Value | None, args: list[Value], keywords: dict[str, Value],
        result: Value, frame: Frame,
    ) -> None:
        """A call was met."""

    def tested(self, node: ast.expr, value: Value, frame: Frame, context: str) -> None:
        """The truth of ``node`` was asked by ``context`` (``if``, ``while``, ``assert`` ...)."""

    def subscripted(self, node: ast.Subscript, base: Value, index: Value, frame: Frame) -> None:
        """``base[index]`` was read."""

    def item_assigned(self, node: ast.Subscript, base: Value, index: Value, value: Value, frame: Frame) -> None:
        """``base[index] = value``."""

    def attribute_assigned(self, node: ast.Attribute, base: Value, value: Value, frame: Frame) -> None:
        """``base.attr = value``."""

    def attribute_read(self, node: ast.Attribute, base: Value, frame: Frame) -> None:
        """``base.attr`` was read, of a tensor."""

    def keyed(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """A dict display had the key ``value``."""

    def iterated(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """A loop or comprehension went over ``value``."""

    def ordered(self, node: ast.Call, value: Value, frame: Frame) -> None:
        """The call ``node`` compared values such as ``value``, made by a key function, with each other."""

    def formatted(self, node: ast.FormattedValue, value: Value, frame: Frame) -> None:
        """``value`` was put into an f-string."""

    def entered(self, item: ast.withitem, value: Value, frame: Frame) -> None:
        """A ``with`` entered ``value``."""

    def built_class(self, node: ast.ClassDef, frame: Frame) -> None:
        """A class statement was executed."""

    def skipped(self, node: ast.Call | None, name: str, frame: Frame) -> None:
        """The function ``name``, which the user keeps from the tracer, was called."""
