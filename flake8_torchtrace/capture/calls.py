"""What a call of a watched function is a call of: a module with its arguments, as they were given."""

from __future__ import annotations

import inspect
import os
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

_OUTER = "_wrapped_call_impl"
_OF_TORCH = "torch.nn.modules.module"
_FARTHEST = 12
_FUNCTION_OF_GENERATOR = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_DEEPEST = 4
_WIDEST = 32


@dataclass(frozen=True)
class Live:
    """Something that was called. ``module`` is the module, or a bound method or function where no module as a whole was called."""

    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name: str


def live(frame: FrameType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Live:
    """The call that ``frame`` has just begun with `arguments`; of a module's ``forward`` it is that of the module, hooks and all."""
    receiver = args[0]
    outer = _module_call(frame, receiver)
    if outer is not None:
        given = outer.f_locals
        return Live(receiver, tuple(given["args"]), dict(given["kwargs"]), type(receiver).__name__)
    entry = frame.f_code.co_name
    if entry == "forward":
        return Live(receiver, args[1:], kwargs, type(receiver).__name__)
    return Live(getattr(receiver, entry), args[1:], kwargs, f"{type(receiver).__name__}.{entry}")


def arguments(frame: FrameType) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What a frame at its first line was called with."""
    code, found = frame.f_code, frame.f_locals
    values = dict(found)
    if sys.version_info < (3, 13):
        found.clear()  # a copy that the frame would keep, and all in it alive, until it ends
    count = code.co_argcount
    names = code.co_varnames
    args = [values[name] for name in names[:count]]
    at = count + code.co_kwonlyargcount
    kwargs = {name: values[name] for name in names[count:at]}
    if code.co_flags & inspect.CO_VARARGS:
        args += values[names[at]]
        at += 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        kwargs.update(values[names[at]])
    return tuple(args), kwargs


def _module_call(frame: FrameType, receiver: Any) -> FrameType | None:
    """The frame of the call of the module ``receiver`` that led to ``frame``, by way of wrappers and overriding methods."""
    outer = frame.f_back
    for _ in range(_FARTHEST):
        if outer is None:
            return None
        if outer.f_code.co_name == _OUTER and outer.f_globals.get("__name__") == _OF_TORCH:
            return outer if outer.f_locals.get("self") is receiver else None
        outer = outer.f_back
    return None


def why_not(code: CodeType) -> str | None:
    """Why no call of ``code`` can be verified now, or None."""
    import torch

    if code.co_flags & _FUNCTION_OF_GENERATOR:
        return "it is a generator or a coroutine: no tracer takes one as the module's call"
    if not hasattr(os, "fork"):
        return "verifying a running program needs a system that can fork"
    if _is_initialized(torch.cuda):
        return "CUDA is initialised in this program, so that it cannot be forked"
    if sys.platform == "darwin" and threading.active_count() > 1:
        return "this program has several threads, and on macOS it then cannot be forked"
    return None


def _is_initialized(device: Any) -> bool:
    return bool(device.is_initialized())


def is_being_traced() -> bool:
    """Whether a tracer of torch is at work here: what it calls are no calls of the program."""
    import torch

    if torch._C._get_tracing_state() is not None or torch._C._len_torch_dispatch_stack() > 0:
        return True
    compiler = getattr(torch, "compiler", None)
    if any(getattr(compiler, name, None) for name in ("_is_compiling_flag", "_is_exporting_flag")):
        return True
    return bool(getattr(sys.modules.get("torch.fx._symbolic_trace"), "_is_fx_tracing_flag", False))


def is_without_data(call: Live) -> bool:
    """Whether it is about shapes only: on the ``meta`` device, with fake tensors, or with the proxies of a tracer."""
    import torch

    module = getattr(call.module, "__self__", call.module)
    parameters = list(module.parameters())[:1] if isinstance(module, torch.nn.Module) else []
    tensors = [*leaves((call.args, call.kwargs)), *parameters]
    if any(tensor.device.type == "meta" or type(tensor).__name__ == "FakeTensor" for tensor in tensors):
        return True
    return any(isinstance(item, torch.fx.Proxy) for item in (*call.args, *call.kwargs.values()))


def is_timed() -> bool:
    """Whether somebody looks at the clock: hypothesis fails a test of which an example takes longer than others."""
    hypothesis = sys.modules.get("hypothesis")
    return hypothesis is not None and bool(hypothesis.currently_in_test_context())


def kind(call: Live) -> str:
    """What calls have in common that take the same ways: types, dtypes and numbers of dimensions, training or not."""
    import torch

    mode = "training" if getattr(call.module, "training", False) else "eval"
    grad = "grad" if torch.is_grad_enabled() else "no grad"
    given = [_shape(item, 0) for item in call.args] + [f"{name}={_shape(call.kwargs[name], 0)}" for name in sorted(call.kwargs)]
    return f"{mode}, {grad}: {', '.join(given)}"


def _shape(value: Any, depth: int) -> str:
    import torch

    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{dtype}[{', '.join('?' * value.ndim)}]"
    if value is None or isinstance(value, bool):
        return str(value)
    if depth < _DEEPEST and isinstance(value, (list, tuple)):
        inside = dict.fromkeys(_shape(item, depth + 1) for item in value[:_WIDEST])
        return f"{type(value).__name__}[{', '.join(inside)}]"
    if depth < _DEEPEST and isinstance(value, Mapping):
        items = list(value.items())[:_WIDEST]
        return "{" + ", ".join(f"{name}: {_shape(item, depth + 1)}" for name, item in items) + "}"
    return type(value).__name__


def leaves(values: Any) -> list[Any]:
    """The tensors in nested lists, tuples and mappings."""
    import torch

    found: list[Any] = []
    pending = [values]
    while pending:
        value = pending.pop()
        if isinstance(value, torch.Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            pending += value
        elif isinstance(value, Mapping):
            pending += value.values()
    return found
