"""What the body of a function says about its unannotated parameters."""

from __future__ import annotations

import ast
from collections.abc import Callable

from flake8_torchtrace.source.definitions import FunctionNode
from flake8_torchtrace.source.knowledge import load

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
    seen: dict[str, set[str]] = {}
    for inner in ast.walk(node):
        for name, kind in _hints(inner, resolve, is_unique_method):
            if name in names:
                seen.setdefault(name, set()).add(kind)
    found: dict[str, str] = {}
    for name, kinds in seen.items():
        # `isinstance(x, torch.Tensor)` beside signs of something else: it may be either.
        strong = kinds & {TENSOR} if _ASKED in kinds else kinds & {TENSOR, PYTHON}
        if len(strong) <= 1:
            found[name] = strong.pop() if strong else next((kind for kind in (ARRAY, FLAG, WEAK) if kind in kinds), WEAK)
    return found


def _hints(
    node: ast.AST, resolve: Callable[[ast.expr], str | None], is_unique_method: Callable[[str], bool]
) -> list[tuple[str, str]]:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in _TENSOR_ATTRIBUTES or node.attr in _SHAPE_METHODS or is_unique_method(node.attr):
            return [(node.value.id, TENSOR)]
        if node.attr in _PYTHON_ATTRIBUTES:
            return [(node.value.id, PYTHON)]
        if load().is_tensor_method(node.attr):
            return [(node.value.id, ARRAY)]
    elif isinstance(node, ast.Call):
        return _call_hints(node, resolve)
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and _is_tensor_index(node.slice):
        return [(node.value.id, TENSOR)]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and _is_key(node.slice):
        return [(node.value.id, PYTHON)]
    elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Slice):
        return [(node.value.id, WEAK)]
    elif isinstance(node, ast.BinOp):
        kind = TENSOR if isinstance(node.op, ast.MatMult) else WEAK
        return [(side.id, kind) for side in (node.left, node.right) if isinstance(side, ast.Name)]
    elif isinstance(node, ast.Compare):
        return _compare_hints(node)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        return [(node.test.id, FLAG)] if isinstance(node.test, ast.Name) else []
    elif isinstance(node, ast.BoolOp):
        return [(operand.id, FLAG) for operand in node.values if isinstance(operand, ast.Name)]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Name):
        return [(node.operand.id, FLAG)]
    return []


def _call_hints(node: ast.Call, resolve: Callable[[ast.expr], str | None]) -> list[tuple[str, str]]:
    hints: list[tuple[str, str]] = []
    if isinstance(node.func, ast.Name):
        hints.append((node.func.id, PYTHON))
        if node.func.id == "isinstance" and len(node.args) == 2 and isinstance(node.args[0], ast.Name):
            if isinstance(node.args[1], ast.Name) and node.args[1].id in _PYTHON_TYPES:
                hints.append((node.args[0].id, PYTHON))
            if resolve(node.args[1]) == "torch.Tensor":
                hints.append((node.args[0].id, _ASKED))
            return hints
    dotted = resolve(node.func)
    if dotted is None or not node.args or not isinstance(node.args[0], ast.Name):
        return hints
    if dotted in _PYTHON_CALLS:
        hints.append((node.args[0].id, PYTHON))
    elif _takes_tensor_first(dotted):
        hints.append((node.args[0].id, TENSOR))
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


def _is_key(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _compare_hints(node: ast.Compare) -> list[tuple[str, str]]:
    sides = [node.left, *node.comparators]
    has_text = any(isinstance(side, ast.Constant) and isinstance(side.value, str) for side in sides)
    has_bool = any(isinstance(side, ast.Constant) and isinstance(side.value, bool) for side in sides)
    if has_text or has_bool:
        return [(side.id, PYTHON) for side in sides if isinstance(side, ast.Name)]
    if any(isinstance(op, ast.Gt | ast.Lt | ast.GtE | ast.LtE) for op in node.ops):
        return [(side.id, WEAK) for side in sides if isinstance(side, ast.Name)]
    return []


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
