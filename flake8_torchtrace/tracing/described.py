"""What non-strict export makes of a module, for a person: inputs, graph, signature, ranges of sizes, entries of the archive."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .dynamic.leaves import call_of
from .dynamic.specs import Spec, for_torch
from .eager import describe, outcome
from .shapes import Description
from .targets import as_module

_LONGEST_VALUE = 60


def described(module: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any], spec: Spec | None) -> Description:
    """See ``flake8_torchtrace.tracing.described``."""
    import torch
    import torch.export

    call, whole = call_of(module, args, kwargs), as_module(module)
    found: Description = {
        "inputs": {name: shown(value) for name, value in call.parameters.items()}, "mode": "train" if whole.training else "eval",
        "error": None, "graph": "", "takes": [], "gives": [], "ranges": {}, "archive": [], "not_saved": None,
    }  # fmt: skip
    dynamic: dict[str, Any] = {} if spec is None else {"dynamic_shapes": for_torch(spec, call_of(whole, args, kwargs))}
    programs: list[Any] = []
    torch.manual_seed(0)
    error = outcome(lambda: programs.append(torch.export.export(whole, tuple(args), dict(kwargs) or None, strict=False, **dynamic)))
    if error is not None:
        return {**found, "error": describe(error)}
    (program,) = programs
    signature = program.graph_signature
    found["graph"] = program.graph_module.code.strip()
    found["takes"] = [_taken(item) for item in signature.input_specs]
    found["gives"] = [_given(item) for item in signature.output_specs]
    found["ranges"] = {str(symbol): _range(limits) for symbol, limits in program.range_constraints.items()}
    file = io.BytesIO()
    error = outcome(lambda: torch.export.save(program, file))
    if error is not None:
        return {**found, "not_saved": describe(error)}
    with zipfile.ZipFile(file) as archive:
        found["archive"] = [f"{item.filename} ({item.file_size} bytes)" for item in archive.infolist()]
    return found


def shown(value: Any) -> str:
    """A value in a few words: tensors by dtype and size."""
    import torch

    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(shown, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {shown(item)}' for key, item in value.items())}}}"
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."


def _taken(item: Any) -> str:
    kind = item.kind.name.lower().replace("_", " ")
    target = f" {item.target}" if item.target else ""
    lost = " (not persistent)" if getattr(item, "persistent", None) is False else ""
    return f"{getattr(item.arg, 'name', item.arg)}: {kind}{target}{lost}"


def _given(item: Any) -> str:
    kind = item.kind.name.lower().replace("_", " ")
    return f"{getattr(item.arg, 'name', item.arg)}: {kind}{f' {item.target}' if item.target else ''}"


def _range(limits: Any) -> str:
    upper = str(limits.upper)
    return f"from {limits.lower}" if "oo" in upper or (upper.isdigit() and int(upper) > 2**40) else f"from {limits.lower} to {upper}"
