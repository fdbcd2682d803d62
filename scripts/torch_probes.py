"""What torch does not declare but can be measured: a call on a small tensor and the kind of what comes back."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

import torch_declarations as declared
from torch_declarations import Result

# Functions without annotations are what this file is about, so torch cannot be more than Any here.
torch: Any = importlib.import_module("torch")

_CODES: tuple[tuple[type, str], ...] = (
    (torch.Tensor, "T"),
    (torch.Size, "size"),
    (torch.dtype, "dtype"),
    (torch.device, "device"),
    (bool, "bool"),
    (int, "int"),
    (float, "float"),
    (complex, "number"),
    (str, "str"),
    (type(None), "none"),
)


def kind(value: Any) -> str:
    """The return code of a value."""
    for known, code in _CODES:
        if isinstance(value, known):
            return code
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        codes = [kind(item) for item in value]
        return "int*" if codes and set(codes) == {"int"} else declared.tuple_code(codes)
    if isinstance(value, list):
        return "T*" if value and all(isinstance(item, torch.Tensor) for item in value) else "list"
    return declared.UNKNOWN


def attribute(name: str) -> str:
    """What a plain tensor's attribute is; unknown where it is only None there."""
    code = kind(getattr(torch.ones(2), name))
    return declared.UNKNOWN if code == "none" else code


def signature(text: str) -> declared.Entry:
    """An overload from a parameter list as one writes it in a ``def``."""
    node = ast.parse(f"def probe({text}): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    return declared.entry_from_def(node)


def _x() -> Any:
    return torch.ones(2, 2)


def _measured(rows: list[tuple[str, str, Callable[[], Any]]]) -> dict[str, Result]:
    entries: dict[str, list[declared.Entry]] = {}
    for name, text, call in rows:
        entry = signature(text)
        many = "rest" in entry or "T*" in entry["types"].values()
        entries.setdefault(name, []).append({**entry, "ret": "T*" if many else kind(call())})
    results = {name: declared.merged(found) for name, found in entries.items()}
    return {name: result for name, result in results.items() if result}


def functions() -> dict[str, Result]:
    """Functions without annotations."""
    rows: list[tuple[str, str, Callable[[], Any]]] = [
        ("torch.is_storage", "obj", lambda: torch.is_storage(_x())),
        ("torch.jit.is_tracing", "", torch.jit.is_tracing),
        ("torch.cuda.is_initialized", "", torch.cuda.is_initialized),
        ("torch.xpu.is_initialized", "", torch.xpu.is_initialized),
        ("torch.cuda.is_bf16_supported", "", torch.cuda.is_bf16_supported),
        ("torch.backends.cuda.is_built", "", torch.backends.cuda.is_built),
        ("torch.backends.cuda.cudnn_sdp_enabled", "", torch.backends.cuda.cudnn_sdp_enabled),
        ("torch.backends.cuda.flash_sdp_enabled", "", torch.backends.cuda.flash_sdp_enabled),
        ("torch.backends.cuda.math_sdp_enabled", "", torch.backends.cuda.math_sdp_enabled),
        ("torch.backends.cuda.mem_efficient_sdp_enabled", "", torch.backends.cuda.mem_efficient_sdp_enabled),
        ("torch.overrides.is_tensor_like", "inp", lambda: torch.overrides.is_tensor_like(_x())),
        ("torch.sym_float", "a", lambda: torch.sym_float(1)),
        ("torch.sym_int", "a", lambda: torch.sym_int(1.0)),
        ("torch.sym_not", "a", lambda: torch.sym_not(True)),
        ("torch.sym_sqrt", "a", lambda: torch.sym_sqrt(4)),
        ("torch.sym_max", "a, b", lambda: torch.sym_max(1, 2)),
        ("torch.sym_max", "a, b", lambda: torch.sym_max(1.0, 2)),
        ("torch.sym_min", "a, b", lambda: torch.sym_min(1, 2)),
        ("torch.sym_min", "a, b", lambda: torch.sym_min(1.0, 2)),
    ]
    for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
        function = getattr(torch, name)
        rows += [
            (f"torch.{name}", "tensor: Tensor", functools.partial(function, _x())),
            (f"torch.{name}", "tensors: Sequence[Tensor]", functools.partial(function, [_x()])),
            (f"torch.{name}", "a: Tensor, b: Tensor, *rest: Tensor", functools.partial(function, _x(), _x())),
        ]
    return _measured(rows)


def methods() -> dict[str, Result]:
    """Methods of ``torch.Tensor`` without annotations."""
    return _measured(
        [
            ("__deepcopy__", "memo", lambda: copy.deepcopy(_x())),
            ("__ipow__", "other", lambda: _x().__ipow__(2)),
            ("__itruediv__", "other", lambda: _x().__itruediv__(2)),
            ("__len__", "", lambda: len(_x())),
            ("__pos__", "", lambda: +_x()),
            ("__reversed__", "", lambda: reversed(_x())),
            ("cdouble", "memory_format=None", lambda: _x().cdouble()),
            ("cfloat", "memory_format=None", lambda: _x().cfloat()),
            ("const_data_ptr", "", lambda: _x().const_data_ptr()),
            ("dim_order", "ambiguity_check=False", lambda: _x().dim_order()),
            ("is_shared", "", lambda: _x().is_shared()),
            ("share_memory_", "", lambda: _x().share_memory_()),
            ("storage_type", "", lambda: _x().storage_type()),
            ("to_sparse_coo", "", lambda: _x().to_sparse_coo()),
        ]
    )


def dtypes(names: Iterable[str]) -> dict[str, str]:
    """The kind of number in the result of those functions and methods where it does not depend on what goes in.

    Each name is called, as a method and as a function of torch, on a float and on an int matrix, alone, with itself and
    with a number; a call that torch refuses says nothing.
    """
    found: dict[str, str] = {}
    for name in names:
        callables = [getattr(owner, name) for owner in (torch.Tensor, torch) if hasattr(owner, name)]
        seen = [_result_dtypes(callables, dtype) for dtype in (torch.float32, torch.int64)]
        if all(seen) and len(set.union(*seen)) == 1:
            found[name] = seen[0].pop()
    return found


def _result_dtypes(callables: list[Callable[..., Any]], dtype: Any) -> set[str]:
    seen = set()
    for function in callables:
        for rest in ((), (torch.ones(2, 2, dtype=dtype),), (1,)):
            with contextlib.suppress(Exception):
                result = function(torch.ones(2, 2, dtype=dtype), *rest)
                seen |= {_dtype_class(result)} if isinstance(result, torch.Tensor) else set()
    return seen


def _dtype_class(tensor: Any) -> str:
    if tensor.dtype == torch.bool:
        return "bool"
    return "float" if tensor.is_floating_point() else "number" if tensor.is_complex() else "int"
