"""What calls of numpy return. Inside traced code dynamo runs numpy as torch operators (torch/_dynamo/variables/misc.py, NumpyVariable),
so an array is a tensor there; what numpy makes of Python numbers is a number."""

from __future__ import annotations

import ast
from dataclasses import replace

from flake8_torchtrace.model import Target
from flake8_torchtrace.source.claims import effect_of
from flake8_torchtrace.source.rule import Event, Hit, Rule
from flake8_torchtrace.source.sizes import is_data_size
from flake8_torchtrace.source.values import (
    BOOL,
    INT,
    PYTHON,
    SIZE,
    UNKNOWN,
    Drawn,
    External,
    Python,
    Sequence,
    Tensor,
    Value,
    drop_none,
    options,
    tensor_of,
)

# Arrays whatever they are given.
_MAKERS = {
    "array", "asarray", "asanyarray", "ascontiguousarray", "fromiter", "zeros", "ones", "empty", "full", "zeros_like", "ones_like", "empty_like",
    "full_like", "arange", "linspace", "logspace", "geomspace", "eye", "identity", "tri", "indices", "meshgrid",
}  # fmt: skip
_ABOUT: dict[str, Value] = {
    "shape": SIZE, "ndim": INT, "size": INT, "isscalar": BOOL, "issubdtype": BOOL, "iterable": BOOL, "can_cast": BOOL, "iscomplexobj": BOOL,
    "isrealobj": BOOL, "dtype": PYTHON, "finfo": PYTHON, "iinfo": PYTHON, "errstate": PYTHON, "printoptions": PYTHON, "result_type": PYTHON,
    "promote_types": PYTHON, "min_scalar_type": PYTHON,
}  # fmt: skip

_OF_TENSOR = " of a tensor"


def numpy_result(dotted: str, args: list[Value], keywords: dict[str, Value], node: ast.Call | None) -> Value:
    """What ``numpy.<name>(...)`` returns: an array only where something shows that it is one."""
    name = dotted.rpartition(".")[2]
    if name[:1].isupper():
        return PYTHON
    if name in _ABOUT:
        return _ABOUT[name]
    array = Tensor(True, "", (f"numpy.{name}", getattr(node, "lineno", 0)))
    if name in _MAKERS or dotted.startswith("numpy.random."):
        return array
    given = [drop_none(value) for value in (*args, *keywords.values())]
    arrays = [value for value in given if _is_array(value)]
    tensors = [value for value in given if tensor_of(value) is not None]
    if not all(map(is_of_numpy, tensors)):
        array = Tensor(True, "", (f"numpy.{name}{_OF_TENSOR}", getattr(node, "lineno", 0)))
    if any(not isinstance(value, Tensor) or value.sure for value in arrays):
        return array
    if tensors:
        return Tensor(False, "", array.origin)
    drawn = next((value for value in args if isinstance(value, Drawn)), None)
    if drawn is not None:
        return drawn
    if args and all(isinstance(value, Python) for value in args):
        return Python("float", None, any(map(is_data_size, args)))
    return UNKNOWN


def _is_array(value: Value) -> bool:
    """Whether numpy has an array here, or makes one of it."""
    return all(isinstance(option, Tensor | Sequence) or option == External("numpy.ndarray") for option in options(value))


def is_of_numpy(value: Value | None) -> bool:
    """Whether ``value`` is an array that numpy made of something else than tensors."""
    tensor = tensor_of(value) if value is not None else None
    return tensor is not None and tensor.origin is not None and tensor.origin[0].startswith("numpy.") and not tensor.origin[0].endswith(_OF_TENSOR)


def without_numpy(rule: Rule, hit: Hit, event: Event) -> Hit:
    """``hit`` without non-strict export where all tensors of ``event`` are arrays: it runs the real numpy, and those hold their numbers."""
    tensors = [value for value in (event.value, event.index, *event.args) if value is not None and tensor_of(value) is not None]
    targets = rule.targets if hit.targets is None else hit.targets
    if Target.EXPORT_NONSTRICT not in targets or not tensors or not all(map(is_of_numpy, tensors)):
        return hit
    kept = targets - {Target.EXPORT_NONSTRICT}
    return replace(hit, targets=kept, effect=effect_of(kept))
