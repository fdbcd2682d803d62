"""What torch does not declare but can be measured: a call on a small tensor and the kind of what comes back."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch
import torch_declarations as declared
from torch_declarations import Result

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
        return declared.tuple_code([kind(item) for item in value])
    if isinstance(value, list):
        return "T*" if value and all(isinstance(item, torch.Tensor) for item in value) else "list"
    return declared.UNKNOWN


def attribute(name: str) -> str:
    """What a plain tensor's attribute is; unknown where it is only None there."""
    code = kind(getattr(torch.ones(2), name))
    return declared.UNKNOWN if code == "none" else code


def _x() -> torch.Tensor:
    return torch.ones(2, 2, requires_grad=True)


def _probed(table: dict[str, list[tuple[str, Callable[[], Any]]]]) -> dict[str, Result]:
    found: dict[str, Result] = {}
    for name, rows in table.items():
        entries = [{**_signature(text), "ret": kind(call())} for text, call in rows]
        if (result := declared.merged(entries)) is not None:
            found[name] = result
    return found


def _signature(text: str) -> declared.Entry:
    node = ast.parse(f"def probe({text}): pass").body[0]
    assert isinstance(node, ast.FunctionDef)
    return declared.entry_from_def(node)


def functions() -> dict[str, Result]:
    """Functions without annotations."""
    return _probed(
        {
            "torch.atleast_1d": [("tensor", lambda: torch.atleast_1d(_x())), ("a: Tensor, b: Tensor, *rest: Tensor", lambda: torch.atleast_1d(_x(), _x()))],
        }
    )


def methods() -> dict[str, Result]:
    """Methods of ``torch.Tensor`` without annotations."""
    return _probed({})
