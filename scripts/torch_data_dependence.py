"""Which public calls depend on the data in a tensor, measured: each is made on fake tensors, which have no data.

Torch tags such operators (``torch.Tag.dynamic_output_shape``, ``torch.Tag.data_dependent_output``), but many public
functions only call a tagged one, and some only for some of their arguments. So every call here is tried under
``FakeTensorMode`` without a shape environment, as a default ``torch.compile`` does, and the refusal says what it
depends on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import torch
import torch.utils._pytree as pytree
import torch_declarations as declared
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode
from torch_declarations import Result
from torch_probes import signature

X = torch.ones(4, 4)
MASK = X > 0
INTS = torch.tensor([1, 2, 0, 1])
ONE = torch.tensor(1)
LOG_PROBS = torch.zeros(5, 2, 3)
TARGETS = torch.ones(2, 2, dtype=torch.long)
TWOS = torch.tensor([2, 2])

# Some read the memory of a tensor without an operator; this is what fake tensors, which have none, say then.
_READS_MEMORY = ("is not supported for tensor subclasses", "its data is not allocated yet")

# A method's name, what it takes besides the tensor, and a call. Torch's function of that name is tried as well.
_METHODS: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("nonzero", "*, as_tuple=False", (X,)),
    ("argwhere", "", (X,)),
    ("masked_select", "mask: Tensor", (X, MASK)),
    ("unique", "sorted=True, return_inverse=False, return_counts=False, dim=None", (X,)),
    ("unique_consecutive", "return_inverse=False, return_counts=False, dim=None", (X,)),
    ("bincount", "weights=None, minlength=0", (INTS,)),
    ("repeat_interleave", "repeats: int, dim=None, *, output_size=None", (X, 2)),
    ("repeat_interleave", "repeats: Tensor, dim=None", (X, INTS, 0)),
    ("equal", "other", (X, X)),
    ("allclose", "other, rtol=1e-05, atol=1e-08, equal_nan=False", (X, X)),
    ("is_nonzero", "", (ONE,)),
    ("cov", "*, correction=1, fweights=None, aweights=None", (X,)),
    ("corrcoef", "", (X,)),
    ("tensor_split", "indices_or_sections: Tensor, dim=0", (X, TWOS)),
    ("tensor_split", "indices_or_sections: int | _size, dim=0", (X, 2)),
    ("item", "", (ONE,)),
    ("tolist", "", (X,)),
    ("__bool__", "", (ONE,)),
    ("__int__", "", (ONE,)),
    ("__float__", "", (ONE,)),
    ("__complex__", "", (ONE,)),
    ("__index__", "", (ONE,)),
    ("__contains__", "element", (X, 1)),
)
_CALLS: tuple[tuple[str, Callable[..., Any], str, tuple[Any, ...]], ...] = (
    ("torch.where", torch.where, "condition", (MASK,)),
    ("torch.where", torch.where, "condition, input, other, *, out=None", (MASK, X, X)),
    ("torch.repeat_interleave", torch.repeat_interleave, "repeats", (INTS,)),
    (
        "torch.repeat_interleave",
        functools.partial(torch.repeat_interleave, output_size=4),
        "input: Tensor, repeats: Tensor, dim=None, *, output_size",
        (X, INTS, 0),
    ),
    (
        "torch.Tensor.repeat_interleave",
        functools.partial(torch.Tensor.repeat_interleave, output_size=4),
        "repeats: Tensor, dim=None, *, output_size",
        (X, INTS, 0),
    ),
    ("torch.combinations", torch.combinations, "input, r=2, with_replacement=False", (INTS,)),
    ("torch.linalg.lstsq", torch.linalg.lstsq, "input, b, rcond=None, *, driver=None", (X, X)),
    ("torch.nn.functional.one_hot", torch.nn.functional.one_hot, "tensor", (INTS,)),
    ("torch.nn.functional.one_hot", torch.nn.functional.one_hot, "tensor, num_classes", (INTS, 3)),
    (
        "torch.nn.functional.ctc_loss",
        torch.nn.functional.ctc_loss,
        "log_probs, targets, input_lengths, target_lengths, blank=0, reduction='mean', zero_infinity=False",
        (LOG_PROBS, TARGETS, torch.tensor([5, 5]), TWOS),
    ),
    (
        "torch.nn.functional.gaussian_nll_loss",
        torch.nn.functional.gaussian_nll_loss,
        "input, target, var, full=False, eps=1e-6, reduction='mean'",
        (X, X, X),
    ),
)


class Row(NamedTuple):
    """One call to try: the public name, its parameters as one writes them in a ``def``, and a way to make it."""

    dotted: str
    parameters: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


def rows() -> list[Row]:
    """Every call that is tried."""
    both = [row for name, parameters, arguments in _METHODS for row in _forms(name, parameters, arguments)]
    return [*both, *(Row(dotted, parameters, function, given) for dotted, function, parameters, given in _CALLS)]


def measured() -> dict[str, Result]:
    """Calls whose output shape (``shape``) or Python value (``value``) depends on data, by public name."""
    entries: dict[str, list[declared.Entry]] = {}
    for row in rows():
        # Where an operator that is tagged itself reads a value to find its shape, what matters outside is the shape.
        code = dependence(row.function, row.arguments)
        code = code and tagged().get(row.dotted.rpartition(".")[2], code)
        entries.setdefault(row.dotted, []).append({**signature(row.parameters), "ret": code})
    merged = {dotted: declared.merged(found) for dotted, found in entries.items()}
    return {dotted: result for dotted, result in merged.items() if result}


def _forms(name: str, parameters: str, arguments: tuple[Any, ...]) -> list[Row]:
    forms = []
    if hasattr(torch, name):
        written = f"input: Tensor, {parameters}".rstrip(", ")
        forms.append(Row(f"torch.{name}", written, getattr(torch, name), arguments))
    if hasattr(torch.Tensor, name):
        forms.append(Row(f"torch.Tensor.{name}", parameters, getattr(torch.Tensor, name), arguments))
    return forms


def dependence(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """``shape``, ``value`` or nothing: what torch says when it has to do this without data. Other errors are raised."""
    with FakeTensorMode() as mode:
        fake = pytree.tree_map_only(torch.Tensor, mode.from_tensor, arguments)
        try:
            function(*fake)
        except DynamicOutputShapeException:
            return "shape"
        except DataDependentOutputException:
            return "value"
        except RuntimeError as error:
            if not any(text in str(error) for text in _READS_MEMORY):
                raise
            return "value"
    return ""


@functools.cache
def tagged() -> dict[str, str]:
    """Every ``aten`` operator with a tag of data dependence, and which."""
    kinds = {torch.Tag.dynamic_output_shape: "shape", torch.Tag.data_dependent_output: "value"}
    found = {}
    for name, schemas in declared.schemas().items():
        for schema in schemas:
            overload = getattr(getattr(torch.ops.aten, name, None), schema.overload_name or "default", None)
            for tag in getattr(overload, "tags", ()):
                if tag in kinds:
                    found[name] = kinds[tag]
    return found


def unaccounted(known: Collection[str]) -> list[str]:
    """Public names of tagged operators that nothing here tries."""
    spaces = {"torch": torch, "torch.Tensor": torch.Tensor, "torch.nn.functional": torch.nn.functional}
    # Tensor.index is not the operator `index`, which is written x[...] and depends on data if given a mask.
    public = [name for name in tagged() if not name.startswith("_") and name != "index"]
    names = [f"{space}.{name}" for name in public for space, owner in spaces.items() if hasattr(owner, name)]
    return sorted(set(names) - set(known))
