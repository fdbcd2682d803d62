"""What attributes hold: of tensors, of instances of the file's classes, of things outside the file."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source import outer
from flake8_torchtrace.source.codes import code_value
from flake8_torchtrace.source.definitions import ClassInfo, FunctionInfo
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.names import canonical
from flake8_torchtrace.source.values import (
    BOOL,
    DATA_SIZES,
    INT,
    NONE,
    PYTHON,
    SIZE,
    UNKNOWN,
    Class,
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
    from flake8_torchtrace.source.interpreter import Interpreter

_OF_ANY_ARRAY: dict[str, Value] = {"shape": SIZE, "dtype": PYTHON, "device": PYTHON, "ndim": INT}
_MODULE_TENSORS = {"weight", "bias", "running_mean", "running_var", "num_batches_tracked", "in_proj_weight", "in_proj_bias"}
_MODULE_ATTRIBUTES: dict[str, Value] = {"training": BOOL}


def path_of(node: ast.expr) -> str | None:
    """A key such as ``self.mask`` or ``state["x"]`` under which an attribute or item is remembered; None for other expressions."""
    if isinstance(node, ast.Attribute):
        base = node.value.id if isinstance(node.value, ast.Name) else path_of(node.value)
        return None if base is None else f"{base}.{node.attr}"
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        base = node.value.id if isinstance(node.value, ast.Name) else path_of(node.value)
        return None if base is None else f"{base}[{node.slice.value!r}]"
    return None


def attribute_value(it: Interpreter, value: Value, name: str, node: ast.expr | None, frame: Frame) -> Value:
    """The value of ``value.name``."""
    value = drop_none(value)
    if isinstance(value, Tensor):
        return _tensor_attribute(value, name, node)
    if isinstance(value, Instance):
        return instance_attribute(it, value, name, frame)
    if isinstance(value, Ref):
        return it.project.imported(canonical(f"{value.dotted}.{name}"))
    if isinstance(value, Class):
        return _class_attribute(it, value, name, frame)
    if isinstance(value, External):
        return _external_attribute(it, value, name, frame)
    if isinstance(value, Super):
        return _super_attribute(it, value, name, frame)
    if isinstance(value, Union):
        return _union_attribute(it, value, name, node, frame)
    if isinstance(value, Sequence):
        return _sequence_attribute(value, name)
    if isinstance(value, Mapping):
        return dict(value.keys).get(name) or Method(value, name)
    if isinstance(value, Python):
        return Method(value, name)
    return _OF_ANY_ARRAY.get(name, UNKNOWN)


def _tensor_attribute(value: Tensor, name: str, node: ast.expr | None) -> Value:
    if value.has_data_size and name == "shape":
        return DATA_SIZES
    code = load().attribute(name)
    if code is None:
        return Method(value, name)
    if code == "T" and not value.sure:
        return Tensor(False, value.dtype, value.origin)
    return code_value(code, value.origin, node)


def _union_attribute(it: Interpreter, value: Union, name: str, node: ast.expr | None, frame: Frame) -> Value:
    found: list[Value] = []
    for option in value.options:
        if option == NONE:
            continue
        found.append(attribute_value(it, option, name, node, frame))
    methods = [item for item in found if isinstance(item, Method)]
    if (methods and len(methods) < len(found)) or len(methods) > 1:
        tensor = tensor_of(value)
        return Method(tensor, name) if tensor is not None else methods[0]
    return join_all(found)


_NAMED_TUPLE_FIELDS = {"values": 0, "indices": 1}


def _sequence_attribute(value: Sequence, name: str) -> Value:
    position = _NAMED_TUPLE_FIELDS.get(name)
    if position is not None and value.items is not None and value.type == "tuple" and position < len(value.items):
        return value.items[position]
    if value.type == "tuple" and load().field(name) == "T":
        found = tensor_of(value.items[0]) if value.items else tensor_of(value.element)
        if found is not None:
            return Tensor(found.sure, "", found.origin)
    return Method(value, name)


def instance_attribute(it: Interpreter, value: Instance, name: str, frame: Frame) -> Value:
    """An attribute of an instance of a class of the file: what is stored on it, a property, a method, or what a base gives."""
    stored = it.stored(value.info).get(name)
    if stored is not None:
        return stored
    method = it.find_method(value.info, name)
    if method is not None:
        return _bind(it, method, value, frame)
    assigned = _find_assigned(it, value.info, name)
    if assigned is not None:
        return assigned
    if it.is_module(value.info):
        return _MODULE_ATTRIBUTES.get(name) or outer.inherited_attribute(it, value.info, name, frame)
    return outer.inherited_attribute(it, value.info, name, frame)


def _find_assigned(it: Interpreter, info: ClassInfo, name: str) -> Value | None:
    for cls in it.mro(info):
        if name in cls.assigned:
            expression = cls.assigned[name]
            if isinstance(expression, ast.Name):
                method = it.find_method(info, expression.id)
                if method is not None:
                    return Func(method, Instance(info))
            return it.static_value(expression)
        if name in cls.inner:
            return Class(cls.inner[name])
        if name in cls.annotated:
            return it.annotated_value(cls.annotated[name], name) or UNKNOWN
    return None


def decorator_names(it: Interpreter, info: FunctionInfo) -> set[str]:
    """The last parts of the decorators' names (``property``, ``no_grad``)."""
    names = set()
    for decorator in info.decorators:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(target, ast.Attribute):
            names.add(target.attr)
        elif isinstance(target, ast.Name):
            names.add(target.id)
    return names


def _bind(it: Interpreter, method: FunctionInfo, receiver: Instance | External, frame: Frame) -> Value:
    names = decorator_names(it, method)
    if names & {"property", "cached_property", "abstractproperty"}:
        return it.call_function(Func(method, receiver), [], {}, frame, None)
    if "staticmethod" in names:
        return Func(method)
    if "classmethod" in names:
        return Func(method, Class(receiver.info) if isinstance(receiver, Instance) else Ref(receiver.dotted))
    return it.bound_method(method, receiver)


def _class_attribute(it: Interpreter, value: Class, name: str, frame: Frame) -> Value:
    method = it.find_method(value.info, name)
    if method is not None:
        return Func(method, value) if "classmethod" in decorator_names(it, method) else Func(method)
    return _find_assigned(it, value.info, name) or outer.inherited_attribute(it, value.info, name, frame)


def _super_attribute(it: Interpreter, value: Super, name: str, frame: Frame) -> Value:
    receiver = value.bound
    if not isinstance(receiver, Instance | External):
        return UNKNOWN
    order = it.mro(receiver.info if isinstance(receiver, Instance) else value.info)
    after = order[order.index(value.info) + 1 :] if value.info in order else []
    for cls in after:
        if name in cls.methods:
            return _bind(it, cls.methods[name], receiver, frame)
    return Method(value, name)


def _external_attribute(it: Interpreter, value: External, name: str, frame: Frame) -> Value:
    if load().is_module_class(value.dotted):
        if name in _MODULE_TENSORS:
            return Tensor(True, "float", (f"{value.dotted.rpartition('.')[2]}.{name}", 0))
        if name in _MODULE_ATTRIBUTES:
            return _MODULE_ATTRIBUTES[name]
        if name == "forward":
            return value
        return Method(value, name)
    if value.dotted == AUTOGRAD_CONTEXT:
        return Sequence(Tensor(True, "", ("saved_tensors", 0)), None, "tuple") if name == "saved_tensors" else UNKNOWN
    found = it.project.attribute(value.dotted, name, value, frame)
    if found is not None:
        return found
    if value.dotted.startswith("torch.distributions.") and name in _OF_DISTRIBUTIONS:
        return Tensor(True, "float", (f"{value.dotted}.{name}", 0))
    return Ref(f"{value.dotted}.{name}")


AUTOGRAD_CONTEXT = "torch.autograd.function.FunctionCtx"
_OF_DISTRIBUTIONS = {"mean", "mode", "stddev", "variance", "probs", "logits", "loc", "scale"}


def store_attribute(store: dict[str, Value], name: str, value: Value) -> None:
    """Remember that an attribute was seen to hold ``value``, with its truth forgotten: it can be set from anywhere."""
    if isinstance(value, Python) and value != NONE and value.const is not None:
        value = Python(value.type)
    old = store.get(name)
    store[name] = value if old is None else join(old, value)
