"""What a call evaluates to; calls of the file's own functions are followed."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source import attributes, builtin_calls, externals, outer, torch_calls
from flake8_torchtrace.source.elements import CONTAINERS, element_of, items_of, with_more
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.usage import proves_tensor
from flake8_torchtrace.source.values import (
    INT,
    NONE,
    PYTHON,
    STR,
    UNKNOWN,
    Class,
    Drawn,
    External,
    Func,
    Instance,
    Mapping,
    Method,
    Python,
    Ref,
    Sequence,
    Super,
    Tensor,
    Union,
    Value,
    drop_none,
    join,
    join_all,
    tensor_of,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.definitions import ClassInfo
    from flake8_torchtrace.source.interpreter import Interpreter

Keywords = dict[str, Value]


def evaluate_call(it: Interpreter, node: ast.Call, frame: Frame) -> Value:
    """The value of the call ``node``; tells the listener of it."""
    func = node.func
    receiver: Value | None = None
    if isinstance(func, ast.Attribute):
        receiver = it.evaluate(func.value, frame)
        path = attributes.path_of(func)
        callee = frame.env.get(path) if path is not None else None
        if callee is None:
            callee = attributes.attribute_value(it, receiver, func.attr, func, frame)
        if callee is UNKNOWN and not isinstance(receiver, Instance):
            callee = Method(receiver, func.attr)
        frame.values[func] = callee
    else:
        callee = it.evaluate(func, frame)
    args, keywords = _arguments(it, node, frame)
    result = call_value(it, callee, args, keywords, node, frame)
    it.called(node, callee, receiver, args, keywords, result, frame)
    return result


def _arguments(it: Interpreter, node: ast.Call, frame: Frame) -> tuple[list[Value], Keywords]:
    args: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            inner = it.evaluate(argument.value, frame)
            items = items_of(inner)
            args.extend(items if items is not None else [Sequence(element_of(it, inner, frame), None, "*")])
        else:
            args.append(it.evaluate(argument, frame))
    keywords: Keywords = {}
    for keyword in node.keywords:
        value = it.evaluate(keyword.value, frame)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Mapping):
            keywords.update(value.keys)
            keywords.setdefault("**", value.element)
        else:
            keywords.setdefault("**", UNKNOWN)
    return args, keywords


def call_value(
    it: Interpreter, callee: Value, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """What calling ``callee`` gives. ``node`` is the call, or None for a call that stands nowhere in the source."""
    if isinstance(callee, Func):
        return it.call_function(callee, args, keywords, frame, node)
    if isinstance(callee, Class):
        return it.construct(callee.info, args, keywords, frame)
    if isinstance(callee, Instance):
        name = "forward" if it.find_method(callee.info, "forward") and it.is_module(callee.info) else "__call__"
        method = it.find_method(callee.info, name)
        if method is None:
            return outer.inherited_call(it, callee.info, args, keywords, frame, node)
        return it.call_function(Func(method, callee), args, keywords, frame, node)
    if isinstance(callee, Ref):
        return externals.call(it, callee.dotted, args, keywords, node, frame)
    if isinstance(callee, External):
        return _call_external(it, callee, args, keywords, node, frame)
    if isinstance(callee, Method):
        return _call_method(it, callee, args, keywords, node, frame)
    if isinstance(callee, Union):
        return join_all([call_value(it, option, args, keywords, node, frame) for option in callee.options if option != NONE])
    it.call_passed(args, keywords, frame)
    return _guess(args, keywords)


def _guess(args: list[Value], keywords: Keywords) -> Value:
    """An unknown callable: given a tensor it most likely returns one."""
    return Tensor(False) if any(isinstance(drop_none(arg), Tensor) for arg in (*args, *keywords.values())) else UNKNOWN


def _call_external(
    it: Interpreter, callee: External, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """Calling an instance of a class outside the file: a torch module, or one the project index knows."""
    if callee.dotted == "torch.nn.Sequential":
        return _call_sequential(it, callee, args, keywords, frame)
    if load().is_module_class(callee.dotted):
        return torch_calls.module_result(it, callee, args, node)
    found = outer.project_method(it, callee.dotted, "__call__", callee, args, keywords, frame, node)
    return _guess(args, keywords) if found is None else found


def _call_sequential(it: Interpreter, callee: External, args: list[Value], keywords: Keywords, frame: Frame) -> Value:
    if not args or not callee.args:
        return _guess(args, keywords)
    result = args[0]
    for item in callee.args:
        if isinstance(item, Sequence) and item.type == "*":
            result = join(result, call_value(it, item.element, [result], {}, None, frame))
        else:
            result = call_value(it, item, [result], {}, None, frame)
    return result


def _call_method(
    it: Interpreter, callee: Method, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    receiver = drop_none(callee.receiver)
    if isinstance(receiver, Tensor):
        return _tensor_method(it, receiver, callee.name, args, keywords, node)
    tensor = tensor_of(receiver)
    if tensor is not None:
        return _tensor_method(it, tensor, callee.name, args, keywords, node)
    if isinstance(receiver, Sequence):
        if callee.name == "sort":
            builtin_calls.call_key(it, keywords, [element_of(it, receiver, frame)], node, frame)
        return _sequence_method(it, receiver, callee.name, args, node, frame)
    if isinstance(receiver, Mapping):
        return _mapping_method(receiver, callee.name, args, keywords, node, it, frame)
    if isinstance(receiver, Python):
        return STR if receiver.type == "str" and callee.name not in ("split", "startswith", "endswith") else PYTHON
    if isinstance(receiver, Drawn):
        return receiver if callee.name in ("item", "bit_length", "is_integer") else PYTHON
    if isinstance(receiver, Super | External):
        return _outer_method(it, receiver, callee.name, args, keywords, node, frame)
    if isinstance(receiver, Instance):
        found = attributes.instance_attribute(it, receiver, callee.name, frame)
        if not isinstance(found, Method):
            return call_value(it, found, args, keywords, node, frame)
        if callee.name in _TENSORS_OF_MODULE and it.is_module(receiver.info):
            return _TENSORS_OF_MODULE[callee.name]
        return outer.inherited_method(it, receiver.info, callee.name, args, keywords, frame, node)
    if isinstance(receiver, Class) and callee.name == "apply" and "torch.autograd.Function" in it.outer_bases(receiver.info):
        forward = it.find_method(receiver.info, "forward")
        if forward is not None:
            return _autograd_function(it, receiver.info, Func(forward), args, keywords, node, frame)
    it.call_passed(args, keywords, frame)
    return _unknown_method(it, callee, args, keywords, node, frame)


def _autograd_function(
    it: Interpreter, info: ClassInfo, forward: Func, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """``apply``: dynamo traces the backward too, if anything requires a gradient (torch/_dynamo/variables/higher_order_ops.py)."""
    context = External(attributes.AUTOGRAD_CONTEXT)
    takes_context = it.find_method(info, "setup_context") is None
    result = call_value(it, forward, [context, *args] if takes_context else args, keywords, node, frame)
    backward = it.find_method(info, "backward")
    if backward is not None and any(tensor_of(arg) is not None for arg in args):
        gradients = [Tensor(True, "float", (f"parameter `{name.arg}`", name.lineno)) for name in backward.node.args.args[1:]]
        call_value(it, Func(backward), [context, *gradients], {}, node, frame)
    return result


_PARAMETER = Tensor(True, "float", ("nn.Module.parameters", 0))
_BUFFER = Tensor(True, "", ("nn.Module.buffers", 0))
_TENSORS_OF_MODULE: dict[str, Value] = {
    "parameters": Sequence(_PARAMETER, None, "iterator"),
    "buffers": Sequence(_BUFFER, None, "iterator"),
    "named_parameters": Sequence(Sequence(UNKNOWN, (STR, _PARAMETER), "tuple"), None, "iterator"),
    "named_buffers": Sequence(Sequence(UNKNOWN, (STR, _BUFFER), "tuple"), None, "iterator"),
}


def _outer_method(
    it: Interpreter, receiver: Super | External, name: str, args: list[Value], keywords: Keywords, node: ast.Call | None,
    frame: Frame,
) -> Value:  # fmt: skip
    if isinstance(receiver, Super):
        if isinstance(receiver.bound, External):
            return outer.inherited_method(it, receiver.info, name, args, keywords, frame, node, receiver.bound)
        if isinstance(receiver.bound, Instance):
            if name in ("forward", "__call__"):
                return outer.inherited_call(it, receiver.bound.info, args, keywords, frame, node)
            return outer.inherited_method(it, receiver.bound.info, name, args, keywords, frame, node)
        return UNKNOWN
    if name in ("to", "cuda", "cpu", "eval", "train", "float", "half", "double", "requires_grad_", "apply", "bfloat16"):
        return receiver
    if name in _TENSORS_OF_MODULE and load().is_module_class(receiver.dotted):
        return _TENSORS_OF_MODULE[name]
    found = outer.project_method(it, receiver.dotted, name, receiver, args, keywords, frame, node)
    if found is not None:
        return found
    if receiver.dotted in CONTAINERS and name in ("children", "modules"):
        return Sequence(element_of(it, receiver, frame), None, "list")
    if receiver.dotted == "torch.nn.ModuleDict" and name in ("values", "items", "keys") and receiver.args:
        held = receiver.args[0]
        return _mapping_method(held, name, args, keywords, node, it, frame) if isinstance(held, Mapping) else UNKNOWN
    if receiver.dotted == "torch.nn.ModuleList" and name in ("append", "extend", "insert") and args:
        added = element_of(it, args[0], frame) if name == "extend" else args[-1]
        _hold(it, with_more(receiver, added), node, frame)
        return receiver
    return UNKNOWN


def _hold(it: Interpreter, container: External, node: ast.Call | None, frame: Frame) -> None:
    """Remember what the container that ``node`` is a method of now contains."""
    target = node.func.value if node is not None and isinstance(node.func, ast.Attribute) else None
    if target is None:
        return
    it.learn(target, container, frame)
    owner = it.evaluate(target.value, frame) if isinstance(target, ast.Attribute) else None
    if isinstance(target, ast.Attribute) and isinstance(owner, Instance):
        it.stored(owner.info)[target.attr] = container


def _unknown_method(
    it: Interpreter, callee: Method, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """A method of something unknown: a name that only tensors have proves the receiver, others that tensors have make it possible."""
    name = callee.name
    if not load().is_tensor_method(name):
        return _guess(args, keywords)
    sure = proves_tensor(name)
    line = getattr(node, "lineno", 0)
    receiver = Tensor(sure, "", (f".{name}()", line))
    if sure and node is not None and isinstance(node.func, ast.Attribute):
        it.learn(node.func.value, receiver, frame)
    return _tensor_method(it, receiver, name, args, keywords, node)


def _tensor_method(
    it: Interpreter, receiver: Tensor, name: str, args: list[Value], keywords: Keywords, node: ast.Call | None
) -> Value:
    return torch_calls.tensor_method_result(it, receiver, name, args, keywords, node)


def _sequence_method(
    it: Interpreter, receiver: Sequence, name: str, args: list[Value], node: ast.Call | None, frame: Frame
) -> Value:
    target = node.func.value if node is not None and isinstance(node.func, ast.Attribute) else None
    if name in ("append", "add", "insert", "appendleft") and args and target is not None:
        element = args[-1] if receiver.element is UNKNOWN and receiver.items in (None, ()) else join(receiver.element, args[-1])
        it.learn(target, Sequence(element, None, receiver.type), frame)
        return NONE
    if name in ("extend", "update") and args and target is not None:
        found = element_of(it, args[0], frame)
        element = found if receiver.element is UNKNOWN else join(receiver.element, found)
        it.learn(target, Sequence(element, None, receiver.type), frame)
        return NONE
    if name in ("pop", "popleft"):
        return element_of(it, receiver, frame)
    if name in ("copy", "union", "intersection", "difference", "_replace"):
        return receiver
    if name in ("numel", "index", "count"):
        return INT
    return UNKNOWN


def _mapping_method(
    receiver: Mapping, name: str, args: list[Value], keywords: Keywords, node: ast.Call | None, it: Interpreter, frame: Frame
) -> Value:
    if name == "items":
        return Sequence(Sequence(UNKNOWN, (STR, receiver.element), "tuple"), None, "list")
    if name == "values":
        return Sequence(receiver.element, None, "list")
    if name == "keys":
        return Sequence(STR, None, "set")
    if name in ("get", "pop", "setdefault"):
        first = node.args[0] if node is not None and node.args else None
        found = dict(receiver.keys).get(str(first.value)) if isinstance(first, ast.Constant) else None
        value = receiver.element if found is None else found
        if len(args) > 1:
            is_flag = isinstance(args[1], Python) and args[1].type in ("bool", "str")
            return args[1] if found is None and is_flag else join(value, args[1])
        return value if name != "get" or found is not None or value is UNKNOWN else join(value, NONE)
    if name == "update" and node is not None and isinstance(node.func, ast.Attribute):
        added = args[0] if args and isinstance(args[0], Mapping) else Mapping(join_all(list(keywords.values())))
        keys = {**dict(receiver.keys), **dict(added.keys), **keywords}
        it.learn(node.func.value, Mapping(join(receiver.element, added.element), tuple(keys.items())), frame)
        return NONE
    if name == "copy":
        return receiver
    return UNKNOWN
