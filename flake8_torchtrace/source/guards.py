"""Questions whose answer is fixed while torch traces, so that the code behind them is, or is not, traced."""

from __future__ import annotations

from flake8_torchtrace.source.values import BOOL, FALSE, TRUE, Ref, Value, options

_TRUE_IN_TRACE = {
    "torch.compiler.is_compiling",
    "torch.compiler.is_dynamo_compiling",
    "torch._dynamo.is_compiling",
    "torch._dynamo.external_utils.is_compiling",
    "torch._utils.is_compiling",
    "torch._dynamo.is_dynamo_compiling",
}
_FALSE_IN_TRACE = {
    "torch.jit.is_scripting",
    "torch.jit.is_tracing",
    "torch._C._get_tracing_state",
    "torch.onnx.is_in_onnx_export",
    "torch._jit_internal.is_scripting",
}
_EITHER = {"torch.compiler.is_exporting", "torch.is_grad_enabled", "torch.is_inference_mode_enabled", "torch.cuda.is_available"}


def guard_value(dotted: str) -> Value | None:
    """What calling ``dotted`` gives while torch traces, or None if it is no such question."""
    if dotted in _TRUE_IN_TRACE:
        return TRUE
    if dotted in _FALSE_IN_TRACE:
        return FALSE
    return BOOL if dotted in _EITHER else None


def is_guard(value: Value) -> bool:
    """Whether ``value`` is such a question itself, not yet asked: a function that exists in any torch that has it."""
    return all(isinstance(option, Ref) and guard_value(option.dotted) is not None for option in options(value))


DISABLED = {"torch.compiler.disable", "torch._dynamo.disable", "torch._disable_dynamo"}
"""Decorators whose function runs outside of the graph, so that calling it breaks the graph."""

ISLANDS = {
    *DISABLED,
    "torch.compiler.allow_in_graph",
    "torch._dynamo.allow_in_graph",
    "torch.library.custom_op",
    "torch.library.register_fake",
    "torch.compiler.assume_constant_result",
    "torch._dynamo.assume_constant_result",
    "torch.jit.script",
}
"""Decorators whose function the tracer does not enter."""
