"""Which values the parameters of a call hold."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from flake8_torchtrace.source.attributes import decorator_names
from flake8_torchtrace.source.frame import Env
from flake8_torchtrace.source.usage import ARRAY as USED_AS_ARRAY
from flake8_torchtrace.source.usage import FLAG as USED_AS_FLAG
from flake8_torchtrace.source.usage import PYTHON as USED_AS_PYTHON
from flake8_torchtrace.source.usage import TENSOR as USED_AS_TENSOR
from flake8_torchtrace.source.usage import WEAK as USED_AS_NUMBER
from flake8_torchtrace.source.usage import parameter_usage, proves_tensor
from flake8_torchtrace.source.values import (
    NONE,
    PYTHON,
    UNKNOWN,
    Func,
    Instance,
    Mapping,
    Python,
    Sequence,
    Tensor,
    Value,
    drop_none,
    join,
    join_all,
    options,
    tensor_of,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter


# By convention every unannotated parameter of an entry point is a tensor, but for flags and for names that sizes go by.
_SIZE_NAMES = re.compile(
    r"[A-Z]|[hwnkijlbtcd]|height|width|(\w+_)?(size|sizes|len|length|step|steps|stage|level|idx|index|shape|dim|axis|mode|name|device|"
    r"dtype|scale|factor|rate|epoch|temperature|task|type|config|cfg|ratio|num|count|flag|training|kwargs|callback|fn|func|metas?)|"
    r"(num|n|is|use|return|max|min|with|do)_\w+"
)
_PLAIN_SIZE_NAMES = re.compile(r"[ijknhwHWN]|(\w+_)?(size|len|length|idx|index|num|count|dim|shape|name|mode|device|dtype)|(num|n)_\w+")


def bind_arguments(
    it: Interpreter, func: Func, args: list[Value], keywords: dict[str, Value], is_entry: bool
) -> tuple[Env, Value | None]:
    """The local names that a call starts with, and its ``self``.

    With ``is_entry`` an argument that is not given is what annotation, default and use show; else it is the default.
    """
    node = func.info.node
    given = [*func.args, *args]
    is_method = func.bound is not None
    if is_method:
        assert func.bound is not None
        given = [func.bound, *given]
    parameters = node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    defaults = dict(zip([p.arg for p in positional][len(positional) - len(parameters.defaults) :], parameters.defaults, strict=True))
    defaults.update({p.arg: d for p, d in zip(parameters.kwonlyargs, parameters.kw_defaults, strict=True) if d is not None})
    env: Env = {}
    rest: list[Value] = list(given)
    spread: Value | None = None
    for position, parameter in enumerate([*positional, *parameters.kwonlyargs]):
        value: Value | None = None
        if position < len(positional) and rest and spread is None:
            value = rest.pop(0)
            if isinstance(value, Sequence) and value.type == "*":
                spread = value.element
                value = spread
        elif spread is not None and position < len(positional) and parameter.arg not in keywords:
            value = spread
        elif parameter.arg in keywords:
            value = keywords[parameter.arg]
        if value is None:
            value = _not_given(it, parameter, defaults.get(parameter.arg), func, is_entry, position - int(is_method), "**" in keywords)
        else:
            value = _refined(it, parameter, value, func)
        env[parameter.arg] = value
    if parameters.vararg is not None:
        env[parameters.vararg.arg] = _varargs(it, parameters.vararg, rest, is_entry)
    if parameters.kwarg is not None:
        extra = {name: value for name, value in keywords.items() if name not in env}
        stated = it.annotated_value(parameters.kwarg.annotation, f"`**{parameters.kwarg.arg}`") if not extra else None
        env[parameters.kwarg.arg] = Mapping(stated or join_all(list(extra.values())), tuple((k, v) for k, v in extra.items() if k != "**"))
    return env, _self_of(it, func, positional, env)


def _self_of(it: Interpreter, func: Func, positional: list[ast.arg], env: Env) -> Value | None:
    if func.bound is None and func.info.owner is not None and positional and func.closure is None:
        if not decorator_names(it, func.info) & {"staticmethod"} and env[positional[0].arg] is UNKNOWN:
            env[positional[0].arg] = Instance(func.info.owner)
            return env[positional[0].arg]
    return func.bound


def _use_of(it: Interpreter, parameter: ast.arg, func: Func) -> str | None:
    """What the use of a parameter shows it to be. Asked last: it takes a look at the whole function."""
    found = it.usages.get(func.info.node)
    if found is None:
        found = it.usages[func.info.node] = parameter_usage(func.info.node, lambda expr: it.resolve(expr, None), proves_tensor)
    return found.get(parameter.arg)


def _refined(it: Interpreter, parameter: ast.arg, value: Value, func: Func) -> Value:
    """A given argument of which little is known is what the annotation says, or what its use shows."""
    given = drop_none(value)
    if isinstance(given, Tensor) and given.by_convention:
        stated = it.annotated_value(parameter.annotation, f"`{parameter.arg}`")
        if stated is not None and all(isinstance(option, Python | Sequence | Mapping) for option in options(drop_none(stated))):
            return stated
    if not any(option is UNKNOWN or (isinstance(option, Tensor) and not option.sure) for option in options(value)):
        return _with_stated_element(it, parameter, value)
    stated = it.annotated_value(parameter.annotation, f"`{parameter.arg}`")
    if stated is not None:
        return stated
    used = _use_of(it, parameter, func)
    if used == USED_AS_TENSOR or (used in (USED_AS_ARRAY, USED_AS_NUMBER) and tensor_of(value) is not None):
        return _used_tensor(parameter, value)
    if used == USED_AS_FLAG and tensor_of(value) is not None:
        return UNKNOWN
    return PYTHON if used == USED_AS_PYTHON and (value is UNKNOWN or tensor_of(value) is not None) else value


def _with_stated_element(it: Interpreter, parameter: ast.arg, value: Value) -> Value:
    """A container of which only some of the elements are known holds what the annotation says."""
    if not isinstance(value, Mapping | Sequence) or UNKNOWN not in options(value.element):
        return value
    stated = it.annotated_value(parameter.annotation, f"`{parameter.arg}`")
    if isinstance(value, Mapping) and isinstance(stated, Mapping) and stated.element is not UNKNOWN:
        return Mapping(stated.element, value.keys)
    if isinstance(value, Sequence) and isinstance(stated, Sequence) and stated.element is not UNKNOWN and value.items is None:
        return Sequence(stated.element, stated.items, value.type)
    return value


def _used_tensor(parameter: ast.arg, value: Value) -> Value:
    tensor = Tensor(True, "", (f"the use of `{parameter.arg}`", parameter.lineno))
    return join(tensor, NONE) if NONE in options(value) else tensor


def _not_given(
    it: Interpreter, parameter: ast.arg, default: ast.expr | None, func: Func, is_entry: bool, position: int, may_be_given: bool
) -> Value:
    fallback = None if default is None else it.static_value(default)
    if fallback is not None and not is_entry and not may_be_given:
        return fallback
    stated = it.annotated_value(parameter.annotation, f"`{parameter.arg}`")
    if stated is not None:
        stated = join_all([_only_stated(option) for option in options(stated)])
        return join(stated, NONE) if fallback == NONE else stated
    if fallback is not None and fallback != NONE:
        return Python(fallback.type) if isinstance(fallback, Python) else UNKNOWN
    used = _use_of(it, parameter, func)
    if used == USED_AS_TENSOR:
        return _used_tensor(parameter, fallback or UNKNOWN)
    if used in (USED_AS_PYTHON, USED_AS_FLAG) or not (is_entry and it.starts_entry()):
        return UNKNOWN
    numbers = _SIZE_NAMES if position else _PLAIN_SIZE_NAMES
    is_conventional = used == USED_AS_ARRAY or not numbers.fullmatch(parameter.arg)
    if not is_conventional:
        return UNKNOWN
    is_used = used in (USED_AS_ARRAY, USED_AS_NUMBER)
    sure = (is_used or fallback != NONE) if it.in_forward else used == USED_AS_ARRAY
    tensor = Tensor(sure, "", (f"parameter `{parameter.arg}`", parameter.lineno), False, used != USED_AS_ARRAY)
    return join(tensor, NONE) if fallback == NONE else tensor


def _only_stated(value: Value) -> Value:
    """A tensor for which only an annotation speaks: where it is passed on, the annotation there counts for more."""
    return replace(value, by_convention=True) if isinstance(value, Tensor) else value


def _varargs(it: Interpreter, parameter: ast.arg, rest: list[Value], is_entry: bool) -> Value:
    if rest:
        exact = not any(isinstance(value, Sequence) and value.type == "*" for value in rest)
        flat = [value.element if isinstance(value, Sequence) and value.type == "*" else value for value in rest]
        return Sequence(join_all(flat), tuple(flat) if exact else None, "tuple")
    if not is_entry:
        return Sequence(UNKNOWN, (), "tuple")
    return Sequence(it.annotated_value(parameter.annotation, f"`*{parameter.arg}`") or UNKNOWN, None, "tuple")
