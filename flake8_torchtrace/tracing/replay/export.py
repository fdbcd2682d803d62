"""One export, and its graph in a form that can be compared with that of another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..paths import Watch
from ..targets import as_module
from .callers import Place
from .locate import place_of


def exported(target: str, module: Any, args: Sequence[Any], kwargs: Mapping[str, Any], **more: Any) -> Any:
    """The exported program of ``module`` for ``export-strict`` or ``export-nonstrict``. Raises what torch raises."""
    import torch.export

    return torch.export.export(as_module(module), tuple(args), dict(kwargs) or None, strict=target == "export-strict", **more)


def nodes_of(program: Any, watch: Watch) -> list[tuple[str, Place | None]]:
    """The nodes of the graph as text, with constants in full, and the watched line of each."""
    return [(_text(node, program), place_of(node, watch)) for node in program.graph.nodes]


def _text(node: Any, program: Any) -> str:
    constant = _constant(node, program)
    return f"{node.op} {node.target} {node.args} {node.kwargs}{'' if constant is None else f' {constant.tolist()}'}"


def _constant(node: Any, program: Any) -> Any:
    """The tensor behind a placeholder for a constant that tracing made."""
    import torch

    signature = program.graph_signature
    name = getattr(signature, "inputs_to_lifted_tensor_constants", {}).get(node.name) if node.op == "placeholder" else None
    value = program.constants.get(name) if name else None
    return value if isinstance(value, torch.Tensor) and value.numel() < 1000 else None
