"""What a rule is given: an event of the walk with its source as a libcst tree."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source.rule import Event, Hit
from flake8_torchtrace.source.segment import Segment
from flake8_torchtrace.source.values import External, Value, tensor_of

if TYPE_CHECKING:
    import libcst

    from flake8_torchtrace.model import Span, Target

_LONGEST = 60


class Site:
    """An event and its source."""

    def __init__(self, event: Event, segment: Segment) -> None:
        self.event = event
        self.segment = segment

    @property
    def node(self) -> libcst.BaseExpression:
        """The expression as a libcst tree."""
        return self.segment.tree

    def span(self, node: object) -> Span:
        """Where ``node`` stands; None is the name that is called (``item`` of ``x.sum().item()``), for anything but a method
        call the expression or its callee."""
        if node is not None:
            return self.segment.span(node)
        return self.segment.token(self.event.kind == "method" or isinstance(self.event.value, External))

    def value(self, node: libcst.CSTNode) -> Value:
        """What the analysis found ``node``, a part of this site's tree, to be."""
        return self.segment.value(node, self.event.frame.values)

    def text(self, node: libcst.CSTNode | None = None) -> str:
        """The source of ``node`` (default: the whole expression) on one line, shortened."""
        if node is None:
            text = self.segment.text
        else:
            import libcst

            text = libcst.Module([]).code_for_node(node)
        if node is None and "\n" in text and isinstance(self.event.node, ast.expr):
            text = ast.unparse(self.event.node)  # without the comments that stand between the lines
        flat = " ".join(text.split())
        return flat if len(flat) <= _LONGEST else flat[: _LONGEST - 3] + "..."

    def origin(self, value: Value | None) -> str:
        """``, a tensor from `torch.ones` (line 41)`` where the analysis can say where a tensor comes from; else empty."""
        tensor = None if value is None else tensor_of(value)
        if tensor is None or tensor.origin is None:
            return ""
        what, line = tensor.origin
        return f" (from {what}, line {line})" if line and line != self.event.node.lineno else ""

    def hit(
        self, what: str, node: libcst.CSTNode | None = None, targets: frozenset[Target] | None = None, effect: str | None = None
    ) -> Hit:
        """A hit at ``node`` (default: what is called, see `span`)."""
        return Hit(node, what, targets, effect)
