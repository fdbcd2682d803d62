"""What calls of torch return, by its own declarations: of its functions, of the methods of tensors, of its modules."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from flake8_torchtrace.source import calls
from flake8_torchtrace.source.codes import code_value, kind_code
from flake8_torchtrace.source.dtypes import result_dtype
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.knowledge import Kinds, load
from flake8_torchtrace.source.sizes import has_data_size, is_kept, size_result, with_data_size
from flake8_torchtrace.source.values import (
    UNKNOWN,
    Drawn,
    External,
    Sequence,
    Tensor,
    Value,
    known_truth,
    weaken,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

Keywords = dict[str, Value]


def constructor_args(dotted: str, args: list[Value], keywords: Keywords) -> tuple[Value, ...]:
    """What is kept of a torch module's constructor arguments: the modules in containers, and what decides its result."""
    if dotted in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"):
        return tuple(args) or tuple(keywords.values())
    flags = tuple(value for name, value in keywords.items() if name in ("return_indices", "return_attention_scores"))
    return flags


def torch_result(
    it: Interpreter, dotted: str, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    it.call_passed(args, keywords, frame)
    if dotted == "torch.nn.Parameter":
        return Tensor(True, "float", ("nn.Parameter", getattr(node, "lineno", 0)))
    knowledge = load()
    count, names, kinds = shape_of_call(args, keywords)
    code = knowledge.function_return(dotted, count, names, kinds)
    if dotted.startswith("torch.distributions."):
        return _of_distribution(dotted, node)
    if code is None:
        return weaken(calls._guess(args, keywords)) if dotted.startswith("torch.ops.") else UNKNOWN
    origin = (dotted.removeprefix("torch.nn.functional.") if dotted.startswith("torch.nn.functional.") else dotted, getattr(node, "lineno", 0))
    if code == "bool" and node is not None and knowledge.data_dependent(dotted, count, names, kinds):
        return Drawn(node, True, dotted.rpartition(".")[2])
    if code == "?" and any(isinstance(arg, Tensor) for arg in args):
        return _ambiguous(args)
    name = dotted.rpartition(".")[2]
    value = _reduced(code_value(code, origin, node, True, result_dtype(name, args, keywords, node)), name, args, keywords)
    is_data = knowledge.data_dependent(dotted, count, names, kinds) == "shape" and _makes_rows(name, args, keywords)
    return with_data_size(value) if is_data or is_kept(name, args) else value


def _makes_rows(name: str, args: list[Value], keywords: Keywords) -> bool:
    """``repeat_interleave`` may make columns instead."""
    dim = keywords.get("dim", args[2] if len(args) > 2 else None)
    return name != "repeat_interleave" or dim is None or known_truth(dim) is False


_SAMPLED = {"sample": "", "rsample": "float", "log_prob": "float", "entropy": "float", "cdf": "float", "icdf": "float", "kl_divergence": "float"}


def _of_distribution(dotted: str, node: ast.Call | None) -> Value:
    last = dotted.rpartition(".")[2]
    if last in _SAMPLED:
        return Tensor(True, _SAMPLED[last], (dotted, getattr(node, "lineno", 0)))
    return External(dotted) if last[:1].isupper() else UNKNOWN


def _ambiguous(args: list[Value]) -> Value:
    return Tensor(False)


def tensor_method_result(
    it: Interpreter, receiver: Tensor, name: str, args: list[Value], keywords: Keywords, node: ast.Call | None
) -> Value:
    """What ``receiver.name(...)`` returns."""
    size = size_result(name, [receiver, *args])
    if size is not None:
        return size
    knowledge = load()
    count, names, kinds = shape_of_call(args, keywords)
    code = knowledge.method_return(name, count, names, kinds)
    if code is None or code == "?":
        return UNKNOWN if code is None else Tensor(False)
    origin = receiver.origin
    if code == "bool" and node is not None and knowledge.data_dependent(f"torch.Tensor.{name}", count, names, kinds):
        return Drawn(node, receiver.sure, name)
    everything = [receiver, *args]
    value = _reduced(code_value(code, origin, node, receiver.sure, result_dtype(name, everything, keywords, node)), name, everything, keywords)
    is_data = knowledge.data_dependent(f"torch.Tensor.{name}", count, names, kinds) == "shape" and _makes_rows(name, everything, keywords)
    return with_data_size(value) if is_data or is_kept(name, everything) else value


_REDUCE = {"sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "prod", "std", "var", "norm", "median", "all", "any", "count_nonzero"}
_KEEP_SHAPE = {"long", "int", "float", "to", "type", "clone", "detach", "cpu", "cuda", "abs", "clamp", "ceil", "floor", "round"}


def _reduced(value: Value, name: str, args: list[Value], keywords: Keywords) -> Value:
    """``value`` with what is known of its shape: a reduction over everything leaves no dimension."""
    if not isinstance(value, Tensor) or not args:
        return value
    is_reduction = name in _REDUCE and len(args) == 1 and not keywords.keys() - {"dtype"}
    first = args[0]
    if is_reduction or (name in _KEEP_SHAPE and isinstance(first, Tensor) and first.is_scalar):
        return Tensor(value.sure, value.dtype, value.origin, True, is_computed=value.is_computed)
    return value


def module_result(it: Interpreter, module: External, args: list[Value], node: ast.Call | None) -> Value:
    """What calling a torch module returns."""
    is_pool = module.dotted.endswith(("MaxPool1d", "MaxPool2d", "MaxPool3d"))
    flags = {"return_indices": module.args[0]} if is_pool and module.args else {}
    _, names, kinds = shape_of_call([], flags)
    code = load().module_return(module.dotted, 0, names, kinds)
    origin = (f"nn.{module.dotted.rpartition('.')[2]}", getattr(node, "lineno", 0))
    if code is None or code == "?":
        if module.dotted in ("torch.nn.Identity", "torch.nn.Dropout") and args:
            return args[0]
        return calls._guess(args, {})
    value = code_value(code, origin, node, True, "float")
    return with_data_size(value) if args and has_data_size(args[0]) else value


def shape_of_call(args: list[Value], keywords: Keywords) -> tuple[int | None, list[str], Kinds]:
    starred = any(isinstance(arg, Sequence) and arg.type == "*" for arg in args)

    def kinds(key: int | str) -> str | None:
        value = args[key] if isinstance(key, int) and key < len(args) else keywords.get(key) if isinstance(key, str) else None
        return None if value is None else kind_code(value)

    return (None if starred else len(args)), [name for name in keywords if name != "**"], kinds
