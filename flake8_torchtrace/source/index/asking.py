"""What one file asks of the others. `IndexProject` puts the questions; its subclasses find the answers: computed or stored."""

from __future__ import annotations

import ast
import json

from flake8_torchtrace.source import attributes
from flake8_torchtrace.source.calls import call_value
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.index.modules import Modules
from flake8_torchtrace.source.index.naming import NamesProject
from flake8_torchtrace.source.index.portable import Json, rebound, simplified, value_from_json, value_to_json
from flake8_torchtrace.source.index.questions import FORWARD, GIVEN, OPEN, Place, question
from flake8_torchtrace.source.interpreter import Interpreter
from flake8_torchtrace.source.project import Entry, OuterCall
from flake8_torchtrace.source.values import BOOL, NONE, UNKNOWN, Class, External, Instance, Method, Ref, Value, tensor_of

_NOWHERE = ast.Constant(None)
_LONGEST = 4_000


class IndexProject(NamesProject):
    """The project as the file ``module`` sees it."""

    def __init__(self, modules: Modules, module: str) -> None:
        super().__init__(modules, module)
        self._it: Interpreter | None = None

    # -- to be given by subclasses, with `ask` -----------------------------------------------------------------------------

    def ask_call(self, text: str, call: OuterCall) -> Json:
        """The answer to a ``call`` question that ``call`` puts."""
        return self.ask(text)

    def choose(self, function: str, forms: list[str]) -> str:
        """Which of several ``call`` questions to put, the first one being the most exact. ``function`` is what the call is of."""
        return forms[0]

    # -- values --------------------------------------------------------------------------------------------------------------

    def attach(self, it: Interpreter) -> None:
        self._it = it

    @property
    def it(self) -> Interpreter:
        """Who asks."""
        assert self._it is not None
        return self._it

    def _encode(self, value: Value) -> Json:
        return value_to_json(value, self.module)

    def decode(self, data: Json, node: ast.AST | None = None) -> Value:
        """The value of an answer, in this file."""
        return value_from_json(data, self._local, node or _NOWHERE)

    def decode_call(self, args: Json, keywords: Json, kind: int, frame: Frame) -> OuterCall:
        """The call that a ``call`` question is about."""
        given = [self.decode(arg) for arg in args]
        named = {key: self.decode(value) for key, value in keywords.items()}
        return OuterCall(frame, given, named, is_entry=kind != GIVEN, is_forward=kind == FORWARD)

    def decode_entry(self, text: str, frame: Frame) -> Entry:
        """What a ``call`` or ``wrapper`` question asks of this file."""
        kind, _, name, first, *rest = json.loads(text)
        if kind == "call":
            args, keywords, how = rest
            return Entry(name, None if first is None else self.decode(first), self.decode_call(args, keywords, how, frame))
        given, args, keywords = rest
        arguments = None if given is None else tuple(self.decode(argument) for argument in given)
        return Entry(name, None, self.decode_call(args, keywords, GIVEN, frame), self.decode(first), arguments)

    def _local(self, dotted: str) -> Value | None:
        prefix, model = self.module + ".", self.it.model
        if not dotted.startswith(prefix):
            return None
        name = dotted[len(prefix) :]
        if name in model.functions:
            return self.it.global_value(name)
        info = model.class_named(name)
        return None if info is None else Class(info)

    def imported(self, dotted: str) -> Value:
        found = self._resolve(dotted)
        if found is None:
            return Ref(dotted)
        kind, what = found
        if kind == "value":
            return Ref(dotted) if what[0] is None else self.decode(what[0])
        if kind in ("module", "outside"):
            return Ref(what)
        if kind == "method":
            return Ref(dotted)
        name = ".".join(what)
        return self._local(name) or Ref(name)

    def alias(self, dotted: str) -> Value | None:
        place = self._alias_place(dotted)
        if place is None:
            return None
        data = self.ask(question("alias", *place))
        return None if data is None else self.decode(data)

    def starred(self, modules: list[str], name: str) -> Value | None:
        for module in modules:
            if self._modules.covers(module):
                found = self._resolve(f"{module}.{name}")
                if found is not None and found[0] != "outside":
                    return self.imported(f"{module}.{name}")
        return None

    def attribute(self, dotted: str, name: str, receiver: Value, frame: Frame) -> Value | None:
        place = self._class(dotted)
        if place is None:
            return None
        for owner, shape in self._classes(place):
            if name in shape.attributes:
                found = self.ask(question("stored", *owner, name))
                return self.decode(rebound(found, ".".join(owner), self._encode(receiver)), frame.statement)
            kind = shape.methods.get(name)
            if kind == "property":
                return self._called(owner, name, receiver, OuterCall(frame, is_traced=not self.it.muted))
            if kind is not None:
                return Method(receiver, name)
        base = self._torch_base(place)
        if base is None:
            return None
        if name == "training":
            return BOOL
        value = UNKNOWN if base == "torch.nn.Module" else attributes.attribute_value(self.it, External(base), name, None, frame)
        return None if isinstance(value, Method | Ref) or value is UNKNOWN else value

    # -- calls ---------------------------------------------------------------------------------------------------------------

    def call(self, dotted: str, call: OuterCall) -> Value | None:
        found = self._resolve(dotted)
        if found is None:
            return None
        kind, what = found
        if kind == "function":
            return self._called(what, None, None, call)
        if kind == "class":
            return self._constructed(what, call)
        if kind == "method":
            return self._call_found(what[0], what[1], Ref(".".join(what[0])), call)
        value = self.imported(dotted)
        if isinstance(value, Ref):
            return None if value.dotted == dotted or kind == "module" else self._call_value(value, call)
        return self._call_value(value, call)

    def _call_value(self, value: Value, call: OuterCall) -> Value:
        node = call.node if isinstance(call.node, ast.Call) else None
        return call_value(self.it, value, call.args, call.keywords, node, call.frame)

    def _constructed(self, place: Place, call: OuterCall) -> Value | None:
        made = External(".".join(place))
        is_plain = not self._is_module(place)
        if is_plain and (call.is_traced or any(tensor_of(arg) for arg in (*call.args, *call.keywords.values()))):
            self._call_found(place, "__init__", made, call)
        return made

    def call_method(self, dotted: str, name: str, receiver: Value, call: OuterCall) -> Value | None:
        place = self._class(dotted)
        if place is None:
            return None
        if name == "__init__" and not call.is_traced:
            return NONE  # what it sets is looked up where it is set
        if name == "__call__" and self._is_module(place):
            name = "forward"
        found = self._call_found(place, name, receiver, call)
        if found is None and name == "forward":
            base = self._torch_base(place)
            if base is not None and base != "torch.nn.Module":
                return self._call_value(External(base), call)
        return found

    def _call_found(self, place: Place, name: str, receiver: Value, call: OuterCall) -> Value | None:
        found = self._method(place, name)
        if found is None:
            return None
        owner, kind = found
        bound = None if kind == "static" or (kind != "class" and isinstance(receiver, Ref)) else receiver
        return self._called(owner, name, bound, call)

    def call_decorated(self, dotted: str, arguments: tuple[Value, ...] | None, func: Value, call: OuterCall) -> None:
        found = self._resolve(dotted)
        if found is None or found[0] != "function":
            return
        given = None if arguments is None else [self._encode(argument) for argument in arguments]
        if not self.ask(question("wraps", *found[1], given)):
            return
        args = [self._encode(arg) if position == 0 else simplified(self._encode(arg)) for position, arg in enumerate(call.args)]
        keywords = {key: simplified(self._encode(value)) for key, value in sorted(call.keywords.items())}
        self.ask_call(question("wrapper", *found[1], self._encode(func), given, args, keywords), call)

    def _called(self, place: Place, method: str | None, receiver: Value | None, call: OuterCall) -> Value | None:
        module, name = place
        qualified = name if method is None else f"{name}.{method}"
        args = [self._encode(arg) for arg in call.args]
        keywords = {key: self._encode(value) for key, value in sorted(call.keywords.items())}
        if method is not None and not call.is_traced and isinstance(receiver, Instance | External):
            receiver = External(".".join(place))  # one answer for all classes that derive from it
        bound = None if receiver is None else self._encode(receiver)
        kind = GIVEN if not call.is_entry else FORWARD if call.is_forward else OPEN
        forms = [question("call", module, qualified, bound, args, keywords, kind)]
        if kind == GIVEN and (args or keywords):
            plain = [simplified(arg) for arg in args], {key: simplified(value) for key, value in keywords.items()}
            forms.append(question("call", module, qualified, bound, *plain, GIVEN))
            forms.append(question("call", module, qualified, bound, [], {}, OPEN))
        while len(forms) > 1 and len(forms[0]) > _LONGEST:
            del forms[0]
        answer = self.ask_call(self.choose(question(module, qualified, bound), forms), call)
        if answer is None:
            return None
        value, is_island = answer
        if is_island and call.is_traced and isinstance(call.node, ast.Call):
            self.it.listener.skipped(call.node, qualified.rpartition(".")[2], call.frame)
        return self.decode(value, call.node)
