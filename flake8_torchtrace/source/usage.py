"""What the body of a function says about its unannotated parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flake8_torchtrace.source.definitions import FunctionNode
from flake8_torchtrace.source.knowledge import load
from flake8_torchtrace.source.walk import walk

TENSOR = "tensor"
ARRAY = "array"
WEAK = "weak"
FLAG = "flag"
PYTHON = "python"
_ASKED = "asked"

_TENSOR_ATTRIBUTES = {"shape", "dtype", "device", "ndim", "is_cuda", "requires_grad", "mT", "layout"}
_SHAPE_METHODS = {"size", "dim", "numel", "new_zeros", "new_ones", "new_tensor", "new_full", "new_empty", "type_as", "to", "item", "tolist"}
_PYTHON_ATTRIBUTES = {
    "items", "keys", "values", "get", "append", "extend", "update", "pop", "setdefault", "lower", "upper", "startswith",
    "endswith", "strip", "join", "format", "encode", "decode", "insert", "replace",
}  # fmt: skip
_PYTHON_CALLS = {"builtins.range", "builtins.getattr", "builtins.hasattr", "builtins.setattr", "builtins.callable", "math.sqrt", "math.log"}
_PYTHON_TYPES = {"str", "int", "bool", "dict", "list", "tuple", "float", "set"}


@dataclass(frozen=True)
class _Asked:
    """What `parameter_usage` is told of the file and of torch."""

    resolve: Callable[[ast.expr], str | None]
    is_unique_method: Callable[[str], bool]


def parameter_usage(
    node: FunctionNode, resolve: Callable[[ast.expr], str | None], is_unique_method: Callable[[str], bool]
) -> dict[str, str]:
    """``{parameter: TENSOR, ARRAY, WEAK, FLAG or PYTHON}`` for the parameters whose use shows what they are.

    ``ARRAY``: methods that tensors share with other kinds of arrays; ``WEAK``: arithmetic, slicing, ordering, which numbers know too;
    ``FLAG`` is asked for its bare truth and shows nothing else. Where a parameter is used as a tensor and as something else, neither is told.

    ``resolve`` gives the dotted name of a callee; ``is_unique_method`` tells names of methods that only tensors have.
    """
    arguments = node.args
    names = {argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    asked = _Asked(resolve, is_unique_method)
    seen: dict[str, set[str]] = {}
    for inner in walk(node):
        hints = _HINTS.get(type(inner))
        for name, kind in hints(inner, asked) if hints is not None else ():
            if name in names:
                seen.setdefault(name, set()).add(kind)
    found: dict[str, str] = {}
    for name, kinds in seen.items():
        # `isinstance(x, torch.Tensor)` beside signs of something else: it may be either.
        strong = kinds & {TENSOR} if _ASKED in kinds else kinds & {TENSOR, PYTHON}
        if len(strong) <= 1:
            found[name] = strong.pop() if strong else next((kind for kind in (ARRAY, FLAG, WEAK) if kind in kinds), WEAK)
    return found


Hints = Sequence[tuple[str, str]]
"""Names, and what a use shows them to be."""


def _attribute_hints(node: ast.Attribute, asked: _Asked) -> Hints:
    if not isinstance(node.value, ast.Name):
        return ()
    if node.attr in _TENSOR_ATTRIBUTES or node.attr in _SHAPE_METHODS or asked.is_unique_method(node.attr):
        return [(node.value.id, TENSOR)]
    if node.attr in _PYTHON_ATTRIBUTES:
        return [(node.value.id, PYTHON)]
    return [(node.value.id, ARRAY)] if load().is_tensor_method(node.attr) else ()


def _subscript_hints(node: ast.Subscript, asked: _Asked) -> Hints:
    if not isinstance(node.value, ast.Name):
        return ()
    if _is_tensor_index(node.slice):
        return [(node.value.id, TENSOR)]
    if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        return [(node.value.id, PYTHON)]
    return [(node.value.id, WEAK)] if isinstance(node.slice, ast.Slice) else ()


def _arithmetic_hints(node: ast.BinOp, asked: _Asked) -> Hints:
    kind = TENSOR if isinstance(node.op, ast.MatMult) else WEAK
    return [(side.id, kind) for side in (node.left, node.right) if isinstance(side, ast.Name)]


def _test_hints(node: ast.If | ast.IfExp | ast.While, asked: _Asked) -> Hints:
    return [(node.test.id, FLAG)] if isinstance(node.test, ast.Name) else ()


def _logic_hints(node: ast.BoolOp, asked: _Asked) -> Hints:
    return [(operand.id, FLAG) for operand in node.values if isinstance(operand, ast.Name)]


def _not_hints(node: ast.UnaryOp, asked: _Asked) -> Hints:
    return [(node.operand.id, FLAG)] if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name) else ()


def _call_hints(node: ast.Call, asked: _Asked) -> Hints:
    hints: list[tuple[str, str]] = []
    first = node.args[0].id if node.args and isinstance(node.args[0], ast.Name) else None
    if isinstance(node.func, ast.Name):
        hints.append((node.func.id, PYTHON))
        if node.func.id == "isinstance" and len(node.args) == 2 and first is not None:
            if isinstance(node.args[1], ast.Name) and node.args[1].id in _PYTHON_TYPES:
                hints.append((first, PYTHON))
            if asked.resolve(node.args[1]) == "torch.Tensor":
                hints.append((first, _ASKED))
            return hints
    dotted = None if first is None else asked.resolve(node.func)
    if first is None or dotted is None:
        return hints
    if dotted in _PYTHON_CALLS:
        hints.append((first, PYTHON))
    elif _takes_tensor_first(dotted):
        hints.append((first, TENSOR))
    return hints


def _takes_tensor_first(dotted: str) -> bool:
    if dotted.startswith(("torch.nn.functional.", "torch.linalg.", "torch.fft.", "einops.")):
        return not dotted.endswith("einsum")
    return dotted.startswith("torch.") and dotted[6:] in _FIRST_ARGUMENT_TENSOR


_FIRST_ARGUMENT_TENSOR = {
    "abs", "all", "any", "argmax", "argmin", "argsort", "bmm", "chunk", "clamp", "cos", "cumsum", "diff", "exp", "eq", "flatten",
    "flip", "floor", "gather", "ge", "gt", "isfinite", "isinf", "isnan", "le", "log", "logical_and", "logical_not", "logical_or",
    "lt", "masked_select", "matmul", "max", "mean", "median", "min", "mm", "mul", "ne", "nonzero", "norm", "ones_like", "permute",
    "prod", "rand_like", "randn_like", "relu", "repeat_interleave", "reshape", "roll", "round", "rsqrt", "sigmoid", "sign", "sin",
    "softmax", "sort", "split", "sqrt", "square", "squeeze", "std", "sum", "tanh", "topk", "transpose", "tril", "triu", "unbind",
    "unique", "unsqueeze", "var", "zeros_like",
}  # fmt: skip


def _is_tensor_index(node: ast.expr) -> bool:
    """``x[..., 0]``, ``x[:, 0]`` and ``x[None]`` are asked of arrays only."""
    if isinstance(node, ast.Tuple):
        return any(isinstance(item, ast.Slice) or _is_tensor_index(item) for item in node.elts)
    return isinstance(node, ast.Constant) and (node.value is Ellipsis or node.value is None)


def _compare_hints(node: ast.Compare, asked: _Asked) -> Hints:
    sides = [node.left, *node.comparators]
    has_text = any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides)
    has_bool = any(isinstance(side, ast.Constant) and isinstance(side.value, bool) for side in sides)
    if has_text or has_bool:
        return [(side.id, PYTHON) for side in sides if isinstance(side, ast.Name)]
    if any(isinstance(op, ast.Gt | ast.Lt | ast.GtE | ast.LtE) for op in node.ops):
        return [(side.id, WEAK) for side in sides if isinstance(side, ast.Name)]
    return ()


_HINTS: dict[type[ast.AST], Callable[..., Hints]] = {
    ast.Attribute: _attribute_hints,
    ast.Call: _call_hints,
    ast.Subscript: _subscript_hints,
    ast.BinOp: _arithmetic_hints,
    ast.Compare: _compare_hints,
    ast.If: _test_hints,
    ast.IfExp: _test_hints,
    ast.While: _test_hints,
    ast.BoolOp: _logic_hints,
    ast.UnaryOp: _not_hints,
}


_SHARED_NAMES = frozenset(
    name
    for kind in (list, dict, str, set, int, float, bytes, tuple, frozenset, complex, bytearray, memoryview, object)
    for name in dir(kind)
)
# Methods that arrays of other libraries, data frames, modules and distributions have as well.
_ALSO_ELSEWHERE = frozenset({
    "abs", "add", "all", "any", "apply_", "argmax", "argmin", "argsort", "as_subclass", "astype", "backward", "bool", "byte", "char",
    "clip", "conj", "copy_", "corrcoef", "cos", "cov", "cpu", "cuda", "cumprod", "cumsum", "data_ptr", "diag", "diagonal", "diff", "dist",
    "div", "divide", "dot", "double", "eq", "equal", "exp", "fill_", "flatten", "flip", "float", "floor", "ge", "get_device", "gt", "half",
    "histogram", "index_add", "int", "inverse", "is_shared", "isin", "item", "le", "lerp", "log", "log2", "log10", "long", "lt", "map_",
    "map2_", "matmul", "max", "maximum", "mean", "median", "min", "minimum", "mod", "mode", "mul", "multiply", "nanmean", "nansum", "ne",
    "neg", "negative", "nelement", "nonzero", "norm", "numpy", "pin_memory", "pow", "prod", "put", "quantile", "ravel", "register_hook",
    "remainder", "rename", "renorm", "repeat", "requires_grad_", "reshape", "resize", "resize_", "round", "sgn", "share_memory_", "short",
    "sign", "sin", "sort", "split", "sqrt", "square", "squeeze", "std", "sub", "subtract", "sum", "swapaxes", "take", "tan", "tile",
    "to", "to_sparse", "tolist", "trace", "transpose", "trunc", "type", "unique", "unfold", "update", "values", "var",
    "view", "where", "xpu", "zero_", "indices", "select", "scatter", "gather", "relu", "stft", "storage",
    "is_floating_point", "size", "t", "logit", "sample", "coalesce", "positive",
    "is_contiguous", "narrow", "cross", "inner", "outer", "geometric_", "set_", "is_cuda",
})  # fmt: skip


def proves_tensor(name: str) -> bool:
    """Whether a method of that name shows its receiver to be a tensor: torch has it, and no common other type does."""
    return name not in _SHARED_NAMES and name not in _ALSO_ELSEWHERE and load().is_tensor_method(name)
