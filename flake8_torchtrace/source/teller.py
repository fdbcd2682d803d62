"""Tells a listener what the analysis meets, unless it is muted."""

from __future__ import annotations

import ast

from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.listener import Listener
from flake8_torchtrace.source.values import (
    Drawn,
    Tensor,
    Value,
    drop_none,
    options,
)


class Teller:
    """``muted`` counts the reasons to tell nothing: code that is only evaluated to learn what it gives."""

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.muted = 0
        self.decisions: dict[ast.AST, list[ast.AST]] = {}

    def decided(self, value: Value, node: ast.AST) -> None:
        """A number drawn from a tensor decided at ``node`` what Python does next."""
        for option in options(value):
            if isinstance(option, Drawn) and not self.muted:
                places = self.decisions.setdefault(option.node, [])
                if node not in places:
                    places.append(node)

    def tested(self, node: ast.expr, value: Value, frame: Frame, context: str) -> None:
        """The truth of ``node`` was asked."""
        if not self.muted:
            self.decided(value, node)
            self.listener.tested(node, value, frame, context)

    def subscripted(self, node: ast.Subscript, base: Value, index: Value, frame: Frame) -> None:
        """``base[index]`` was read."""
        if not self.muted:
            if not isinstance(drop_none(base), Tensor):
                self.decided(index, node)
            self.listener.subscripted(node, base, index, frame)

    def attribute_read(self, node: ast.Attribute, base: Value, frame: Frame) -> None:
        """``base.attr`` of a tensor was read."""
        if not self.muted:
            self.listener.attribute_read(node, base, frame)

    def item_assigned(self, node: ast.Subscript, base: Value, index: Value, value: Value, frame: Frame) -> None:
        """``base[index] = value``."""
        if not self.muted:
            self.listener.item_assigned(node, base, index, value, frame)

    def attribute_assigned(self, node: ast.Attribute, base: Value, value: Value, frame: Frame) -> None:
        """``base.attr = value``."""
        if not self.muted:
            self.listener.attribute_assigned(node, base, value, frame)

    def keyed(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """A dict display had a key."""
        if not self.muted:
            self.listener.keyed(node, value, frame)

    def iterated(self, node: ast.expr, value: Value, frame: Frame) -> None:
        """A loop went over ``value``."""
        if not self.muted:
            self.listener.iterated(node, value, frame)

    def ordered(self, node: ast.Call, value: Value, frame: Frame) -> None:
        """The call ``node`` compared values such as ``value`` with each other."""
        if not self.muted:
            self.decided(value, node)
            self.listener.ordered(node, value, frame)

    def formatted(self, node: ast.FormattedValue, value: Value, frame: Frame) -> None:
        """``value`` went into an f-string."""
        if not self.muted:
            self.listener.formatted(node, value, frame)

    def entered(self, item: ast.withitem, value: Value, frame: Frame) -> None:
        """A ``with`` was entered."""
        if not self.muted:
            self.listener.entered(item, value, frame)

    def built_class(self, node: ast.ClassDef, frame: Frame) -> None:
        """A class was made."""
        if not self.muted:
            self.listener.built_class(node, frame)

    def matched(self, node: ast.expr, subject: Value, frame: Frame) -> None:
        """A ``match`` compared ``subject`` with ``node``: the comparison of a tensor is asked for its truth."""
        if isinstance(drop_none(subject), Tensor | Drawn):
            self.tested(node, subject, frame, "match")
