"""What a rule is given: an event of the walk with its source."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source.rule import Event, Hit
from flake8_torchtrace.source.segment import Segment
from flake8_torchtrace.source.values import External, Value, tensor_of

if TYPE_CHECKING:
    from flake8_torchtrace.model import Span, Target

_LONGEST = 60


class Site:
    """An event and its source."""

    def __init__(self, event: Event, segment: Segment) -> None:
        self.event = event
        self.segment = segment

    @property
    def node(self) -> ast.expr | ast.stmt:
        """The whole expression; of a class the statement."""
        return self.event.node

    def span(self, node: ast.expr | ast.stmt | None) -> Span:
        """Where ``node`` stands; None is the name that is called (``item`` of ``x.sum().item()``), for anything but a method
        call the expression or its callee."""
        if node is not None:
            return self.segment.span(node)
        return self.segment.token(self.event.kind == "method" or isinstance(self.event.value, External))

    def text(self, part: ast.expr | None = None) -> str:
        """The source of ``part`` (default: the whole expression) on one line, shortened."""
        node = self.event.node if part is None else part
        text = self.segment.text_of(node) if isinstance(node, ast.expr) else self.segment.text
        if "\n" in text and isinstance(node, ast.expr):
            text = ast.unparse(node)  # without the comments that stand between the lines
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
        self, what: str, node: ast.expr | ast.stmt | None = None, targets: frozenset[Target] | None = None, effect: str | None = None
    ) -> Hit:
        """A hit at ``node`` (default: what is called, see `span`)."""
        return Hit(node, what, targets, effect)
