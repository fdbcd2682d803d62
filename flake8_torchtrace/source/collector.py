"""Turns what the walk meets into events for the rules that asked for them."""

from __future__ import annotations

import ast

from flake8_torchtrace.model import Confidence, Family
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.listener import Listener
from flake8_torchtrace.source.rule import Event, Rule
from flake8_torchtrace.source.rules import Dispatch, rules_for_call
from flake8_torchtrace.source.values import UNKNOWN, External, Func, Instance, Method, Ref, Tensor, Union, Value, tensor_of

# What a function does with tensors shows that it is for models; that it prints or reads the clock does not.
_ABOUT_TENSORS = {Family.VALUE, Family.DYNAMIC_SHAPE, Family.CONSTRUCTION, Family.AUTOGRAD}


# Evidence that holds in traced code only: numpy arrays are tensors there, and an isinstance test says what may come, not what does.
_WEAK_ORIGINS = ("numpy.", "an isinstance test")


def _is_weak(event: Event) -> bool:
    tensors = (tensor_of(value) for value in (event.value, event.index, *event.args) if value is not None)
    return any(tensor is not None and tensor.origin is not None and tensor.origin[0].startswith(_WEAK_ORIGINS) for tensor in tensors)


class Collector(Listener):
    """Keeps, by rule and node, the events whose evidence is good enough to be reported."""

    def __init__(self, table: Dispatch, possible: bool) -> None:
        self._table = table
        self._possible = possible
        self.is_speculative = False
        self.is_library = False
        self.events: dict[tuple[Rule, ast.expr | ast.stmt], list[Event]] = {}
        self.failed: dict[Rule, tuple[int, Exception]] = {}

    def called(
        self, node: ast.Call, callee: Value, receiver: Value | None, args: list[Value], keywords: dict[str, Value],
        result: Value, frame: Frame,
    ) -> None:
        for option in callee.options if isinstance(callee, Union) else (callee,):
            if isinstance(option, Ref):
                wanted = rules_for_call(self._table, option.dotted)
                if wanted:
                    self._add(wanted, Event("call", node, frame, option.dotted, receiver, None, args, keywords))
            elif isinstance(option, Method):
                wanted = self._table.methods.get(option.name)
                if wanted:
                    self._add(wanted, Event("method", node, frame, option.name, option.receiver, None, args, keywords))
            elif isinstance(option, External):
                wanted = self._table.calls.get(f"{option.dotted}.__call__")
                if wanted:
                    self._add(wanted, Event("call", node, frame, option.dotted, receiver, None, args, keywords))
            elif isinstance(option, Func):
                if option.info.decorators:
                    self._see(Event("function", node, frame, option.info.name, option, None, args, keywords))
            elif isinstance(receiver, Instance) and isinstance(node.func, ast.Attribute):
                # A method that the class has from outside the file: of torch.nn.Module as a rule.
                wanted = self._table.methods.get(node.func.attr) if option is UNKNOWN else None
                if wanted:
                    self._add(wanted, Event("method", node, frame, node.func.attr, receiver, None, args, keywords))

    def tested(self, node: ast.expr, value: Value, frame: Frame, context: str) -> None:
        self._see(Event("test", node, frame, "", value, None, [], {}, context))

    def subscripted(self, node: ast.Subscript, base: Value, index: Value, frame: Frame) -> None:
        self._see(Event("subscript", node, frame, "", base, index))

    def item_assigned(self, node: ast.Subscript, base: Value, index: Value, value: Value, frame: Frame) -> None:
        self._see(Event("item", node, frame, "", base, index, [value]))

    def attribute_assigned(self, node: ast.Attribute, base: Value, value: Value, frame: Frame) -> None:
        self._see(Event("attribute", node, frame, node.attr, base, None, [value]))

    def attribute_read(self, node: ast.Attribute, base: Value, frame: Frame) -> None:
        wanted = self._table.attributes.get(node.attr)
        if wanted:
            self._add(wanted, Event("read", node, frame, node.attr, base))

    def keyed(self, node: ast.expr, value: Value, frame: Frame) -> None:
        if isinstance(value, Tensor):
            self._see(Event("key", node, frame, "", value))

    def iterated(self, node: ast.expr, value: Value, frame: Frame) -> None:
        self._see(Event("iteration", node, frame, "", value))

    def ordered(self, node: ast.Call, value: Value, frame: Frame) -> None:
        self._see(Event("order", node, frame, "", value))

    def formatted(self, node: ast.FormattedValue, value: Value, frame: Frame) -> None:
        context = "conversion" if node.conversion in (ord("r"), ord("s"), ord("a")) else "specification" if node.format_spec else ""
        self._see(Event("format", node.value, frame, "", value, None, [], {}, context))

    def entered(self, item: ast.withitem, value: Value, frame: Frame) -> None:
        name = value.dotted if isinstance(value, Ref | External) else ""
        self._see(Event("with", item.context_expr, frame, name, value))

    def built_class(self, node: ast.ClassDef, frame: Frame) -> None:
        self._see(Event("class", node, frame, node.name))

    def skipped(self, node: ast.Call | None, name: str, frame: Frame) -> None:
        if node is not None:
            self._see(Event("island", node, frame, name))

    def _see(self, event: Event) -> None:
        wanted = self._table.kinds.get(event.kind)
        if wanted:
            self._add(wanted, event)

    def _add(self, wanted: list[Rule], event: Event) -> None:
        event.is_speculative = self.is_speculative
        event.is_library = self.is_library
        for rule in wanted:
            try:
                confidence = confidence_of(rule, event)
            except Exception as error:  # one rule at fault must not hide what the others find
                self.failed.setdefault(rule, (event.node.lineno, error))
                continue
            if confidence is Confidence.LIKELY or (confidence is not None and self._possible):
                self.events.setdefault((rule, event.node), []).append(event)


def confidence_of(rule: Rule, event: Event) -> Confidence | None:
    """What the rule says, lowered where it is not known that the code is traced: what was possible there is not worth saying."""
    confidence = rule.confidence(event)
    if not event.is_speculative:
        return confidence
    if confidence is Confidence.LIKELY and event.is_library and rule.family in _ABOUT_TENSORS and not _is_weak(event):
        return Confidence.LIKELY
    return Confidence.POSSIBLE if confidence is Confidence.LIKELY else None
