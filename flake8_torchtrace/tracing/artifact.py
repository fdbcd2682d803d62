"""An exported program saved by one process and loaded by another, which cannot import the code that it was made of."""

from __future__ import annotations

import contextlib
import io
import logging
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from .dynamic.comparing import difference
from .dynamic.leaves import call_of
from .dynamic.specs import Spec, for_torch
from .eager import describe, outcome
from .paths import real_path
from .replay.apart import apart
from .shapes import Loaded, Saved
from .targets import as_module

_PLACE = re.compile(r'File "(?P<path>[^"\n]+)", line (?P<line>\d+), in (?P<function>\S+)')
_OF_TORCH = ("aten", "prims", "prim", "_operator", "higher_order", "torch", "builtins", "math")
_NOT_OF_USER = ("torch", "builtins", "numpy", "collections", "functools")
_LONGEST = 200
Build = Callable[[], tuple[Callable[..., Any], Sequence[Any], Mapping[str, Any]]]


def save(build: Build, spec: Spec | None) -> tuple[Saved, bytes, bytes]:
    """See ``flake8_torchtrace.tracing.save``."""
    # A call after the export would see what the trace left behind, such as a fake tensor in a cache.
    error_of_call, call = apart(lambda: _called(build))
    function, args, kwargs = build()
    found: Saved = {"error": None, "blocked": sorted(_blocked(function)), "foreign": []}
    program, error = _exported(function, args, kwargs, spec)
    if program is None:
        return {**found, "error": error}, b"", b""
    found["foreign"] = list(_foreign(program))
    archive = io.BytesIO()
    found["error"] = _not_carried(function, program) or _written(program, archive) or error_of_call
    return found, archive.getvalue(), call


def _exported(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], spec: Spec | None) -> tuple[Any, str | None]:
    import torch
    import torch.export

    module = as_module(function)
    dynamic: dict[str, Any] = {} if spec is None else {"dynamic_shapes": for_torch(spec, call_of(module, args, kwargs))}
    programs: list[Any] = []
    torch.manual_seed(0)
    error = outcome(lambda: programs.append(torch.export.export(module, tuple(args), dict(kwargs) or None, strict=False, **dynamic)))
    return (programs[0], None) if error is None else (None, f"it is not exported: {_first_line(describe(error))}")


def _written(program: Any, archive: io.BytesIO) -> str | None:
    import torch.export

    error = outcome(lambda: torch.export.save(program, archive))
    return None if error is None else f"it cannot be saved: {_first_line(describe(error))}"


def _called(build: Build) -> tuple[str | None, bytes]:
    """A call of the module and its result, to be read by `load`; or what is wrong with it."""
    import torch

    function, args, kwargs = build()
    call, results = io.BytesIO(), list[Any]()
    torch.manual_seed(0)
    error = outcome(lambda: results.append(function(*args, **kwargs)))
    _, args, kwargs = build()  # the call may have written into them
    error = error or outcome(lambda: torch.save({"args": tuple(args), "kwargs": dict(kwargs), "result": _leaves(results[0])}, call))
    return None if error is None else f"its inputs cannot be handed on: {_first_line(describe(error))}", call.getvalue()


def load(archive: str, call: str, blocked: Iterable[str]) -> Loaded:
    """See ``flake8_torchtrace.tracing.load``."""
    import torch
    import torch.export

    sys.meta_path.insert(0, _Blocking(frozenset(blocked)))  # this process ends with the deed
    programs: list[Any] = []
    results: list[Any] = []
    with _listening() as logged:
        error = outcome(lambda: programs.append(torch.export.load(archive).module()))
    if error is not None:
        reason = _first_line(describe((logged or [error])[-1]))
        return {"error": f"it cannot be loaded where this code cannot be imported: {reason[:_LONGEST]}"}
    calls: list[Any] = []
    error = outcome(lambda: calls.append(torch.load(call, weights_only=False)))
    if error is not None:
        return {"error": f"its inputs are of this code: {_first_line(describe(error))}"}
    torch.manual_seed(0)
    error = outcome(lambda: results.append(programs[0](*calls[0]["args"], **calls[0]["kwargs"])))
    if error is not None:
        return {"error": f"it fails once loaded: {_first_line(describe(error))}"}
    differs = difference(calls[0]["result"], _leaves(results[0]))
    return {"error": None if differs is None else f"once loaded it gives {differs}"}


class _Blocking:
    """Lets nothing be imported from some top-level modules."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """As importlib asks a finder."""
        if name.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _blocked(function: Any) -> set[str]:
    """The top-level modules that the code under test is in."""
    owner = getattr(function, "__self__", function)
    instances = [owner, *(owner.modules() if hasattr(owner, "modules") else ())]
    classes = {base for instance in instances for base in type(instance).__mro__}
    names = {item.__module__.partition(".")[0] for item in classes} | {str(getattr(function, "__module__", "")).partition(".")[0]}
    return {name for name in names if name and name not in _NOT_OF_USER}


def _foreign(program: Any) -> Iterator[dict[str, Any]]:
    """Operators that torch does not bring along, with the line that calls each."""
    for node in program.graph.nodes:
        name = str(node.target)
        is_operator = node.op == "call_function" and type(node.target).__module__ == "torch._ops" and "." in name
        if is_operator and name.partition(".")[0] not in _OF_TORCH:
            yield {"operator": name.replace(".", "::", 1), "stack": _stack(node.meta.get("stack_trace") or "")}


def _stack(text: str) -> list[dict[str, Any]]:
    return [
        {"path": real_path(match["path"]), "line": int(match["line"]), "function": match["function"], "column": None, "end_column": None}
        for match in _PLACE.finditer(text)
    ]


def _not_carried(module: Any, program: Any) -> str | None:
    """A parameter or buffer that the program does not carry by its name, in words."""
    if not hasattr(module, "named_parameters"):  # a function: torch.export got a module around it
        return None
    signature = program.graph_signature
    carried = {*program.state_dict, *program.constants}
    named = {*signature.inputs_to_parameters.values(), *signature.inputs_to_buffers.values()}
    for kind, items in (("parameter", module.named_parameters()), ("buffer", module.named_buffers())):
        for name, _ in items:
            if name not in carried:
                return f"it does not carry the {kind} {name}"
            if name not in named:
                return f"its signature does not name the {kind} {name}"
    return None


def _leaves(value: Any) -> list[Any]:
    from torch.utils import _pytree

    return list(_pytree.tree_flatten(value)[0])


@contextlib.contextmanager
def _listening() -> Iterator[list[BaseException]]:
    """The exceptions that torch logs in the block: what it raises only says that it did."""
    found: list[BaseException] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info and record.exc_info[1] is not None:
                found.append(record.exc_info[1])

    logger, handler = logging.getLogger("torch.export"), Handler()
    logger.addHandler(handler)
    try:
        yield found
    finally:
        logger.removeHandler(handler)


def _first_line(text: str) -> str:
    return next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")
