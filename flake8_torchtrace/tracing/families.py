"""Families of break reasons: what would mend the break, told from torch's own text.

Three ordered tables, first match wins: patterns that need the whole text, exception classes that say it all, patterns for the first line. The first
lines are the ``Gb_type`` texts of ``torch/_dynamo/graph_break_registry.json`` where the installed torch has that file, and the free texts
of the ``unimplemented(...)`` calls in ``torch/_dynamo`` before it. A text that no pattern knows is "unclassified".
"""

from __future__ import annotations

import re

from .registry import first_line

UNCLASSIFIED = "unclassified"

_NO_BREAK = re.compile(r"because no content in function call|No ops traced for the FX graph|not enough guards")

_WHOLE_TEXT: tuple[tuple[str, str], ...] = (
    ("skipped", r"Python builtin `_?warnings\.warn`|LoggingLoggerVariable"),
    ("forced", r"builtin operator `breakpoint`|BuiltinVariable\(breakpoint\)"),
    (
        "no-handler",
        r"\AAttempted to call function marked as skipped\n.*does not know how to trace the (Python )?builtin",
    ),
    ("context", r"\Atorch\.\* op returned non-Tensor\n(.|\n)*_GeneratorContextManager"),
)

_EXCEPTIONS: dict[str, str] = {
    "BdbQuit": "forced",
    "ConstraintViolationError": "dynamic-shape",
    "DataDependentOutputException": "value",
    "DynamicOutputShapeException": "dynamic-shape",
    "GuardOnDataDependentSymNode": "value",
    "PendingUnbackedSymbolNotFound": "dynamic-shape",
    "UnsupportedOperatorException": "no-handler",
}

_HEAD: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "forced",
        (
            r"_dynamo\.(graph_break|skip_frame|step_unsupported)\(\)|skip function (graph_break|skip_frame) in file",
            r"Skip (calling|inlining) `torch\.compiler\.disable|torch\._dynamo\.disable\(\) wrapp|Forced graph break",
            r"ComptimeContext graph break|step_unsupported\(\)",
        ),
    ),
    (
        "construction",
        (
            r"nn\.Parameter|skip function (Parameter|__new__) in file .*parameter|LOAD_BUILD_CLASS|__build_class__|parameter construction",
            r"construct Enum|namedtuple construction|class construction|Frozen dataclass|[Dd]ataclass (constructor|fields)",
            r"Calling subclass default constructor|Uninitialized nn\.Module|opaque object was created|RNN, GRU, or LSTM",
            r"user-defined object construction|user defined class without a source|register_constant|TypedDict|OrderedDict",
        ),
    ),
    (
        "dynamic-shape",
        (
            r"Dynamic shape operator|dynamic shape operator|data-dependent output shape",
            r"[Pp]ending unbacked|[Cc]onstraints violated|symbolic shapes|SymInt arguments",
            r"unbacked SymInt",
        ),
    ),
    (
        "value",
        (
            r"data-dependent expression|generic_jump|Data-dependent",
            r"Dynamic control flow is not supported|[Dd]ata dependent operator|data-dependent branching|Tensor\.(item|tolist|data_ptr|numpy)\b",
            r"Dynamic slicing|tolist must be an|__getitem__ with non-constant|[Ii]ndexing (list|torch\.Size) with non-scalar|index\(Tensor\)",
            r"graph break in a for/while loop|FakeIdVariable|call_id|\bid\(\) with|compile-time-only id|Tensor object identity",
            r"BuiltinVariable\((bool|int|float|sorted|min|max|round|complex)\)|sort with non-constant keys|Data pointer comparison",
            r"\.numpy\(\) is not supported|nb_(int|float|bool|index)_impl|Tensor comparison op|slice assignment|guard_scalar",
            r"tensor\(\) with non-constant|Cannot (guard|evaluate)|real value",
        ),
    ),
    (
        "effect",
        (
            r"fake tensor in the exported program|add additional input during export|leaked? .*fake tensor|[Uu]nsafe side effect",
            r"Non-nullified side effect|Mutating a variable not in the current scope|Mutations? .* after export",
        ),
    ),
    (
        "autograd",
        (
            r"backward\b|autograd|requires_grad|retain_grad|grad_fn|[Hh]ook|vjp|jvp|functorc?h|inference_mode|is_inference|saved? tensors",
            r"mark_dirty|sparse_grad|tensor and its gradient|_ImperativeEngine|RemovableHandle",
        ),
    ),
    (
        "context",
        (
            r"[Cc]ontext ?[Mm]anager|GenericContextWrapping|BEFORE_WITH|SETUP_WITH|contextlib|contextmanager|record_function escaped|profiler object",
            r"annotate escaped|deterministic_algorithms|function mode stack",
        ),
    ),
    (
        "introspection",
        (
            r"deepcopy|copy\.copy|\binspect\b|locals\(\)|globals\(\)|vars\(\)|weakref|traceback|__dict__|__getattribute__|metaclass|mro\b",
            r"python_type\(\)|__annotations__|typing\b",
        ),
    ),
    (
        "mutation",
        (
            r"store_attr|STORE_ATTR|[Mm]utat|setattr|delattr|__delattr__|__setitem__|resize_|Tensor\.set_|share_memory_|set tensor attribute",
            r"attribute assignment|Inplace op|in-place|`out=`|out= |immutable cell|attribute mutation|__class__ assignment|aliasing",
            r"sq_inplace|Side effect on|ass_(item|subscript)",
        ),
    ),
    (
        "exception",
        (
            r"[Oo]bserved exception|when making fake tensor call|TypeError from user code|\b[Ee]xception (with|object|constructor)|non-Exception",
            r"raise exception|EXCEPT_HANDLER|CLEANUP_THROW|assert with|RERAISE|RAISE_VARARGS|torch\._check",
        ),
    ),
    (
        "skipped",
        (
            r"marked as skipped|SkipFunctionVariable|skip function|inline in skipfiles|inlining disallowed|SKIP_DIRS|logging\.|Logger",
            r"warnings\.warn|reorder",
        ),
    ),
    (
        "internal",
        (
            r"recompile limit|cache_size_limit|cache limit|RestartAnalysis|[Rr]econstruct|Backend compiler exception",
            r"[Ff]ake tensor|FakeTensor|meta kernel|Fake tensor propagation|FSDP|distributed|P2P|[Nn]estedTensor",
            r"nested_tensor|sparse|tensor subclass|as_subclass|__torch_function__|[Tt]riton|tma_descriptor|[Oo]paque|TorchScript|torch\.jit",
            r"ScriptModules|FakeScriptObject|_checkpoint_context_fn|HOP|[Hh]igherOrder|higher order|torch\.(cond|while_loop|scan|map|associative_scan)",
            r"wrap_with|invoke_subgraph|nonstrict_trace|strict_mode|strict mode|executorch|hints_wrapper|out_dtype|functional_call|leaf_function",
            r"[Cc]omprehension|resume|step_unsupported|Placement|PT2-compliant|op packet|graph break in inlined|NullVariable|infinite generator",
            r"device mismatch|example value|proxy|VariableTracker|SourceType|getattr with no source|Expected bool, got",
        ),
    ),
    (
        "no-handler",
        (
            r"[Ff]ailed to trace|Unsupported (method|function|hasattr|next|nn\.Module|ndarray|event|super|attribute for|arguments? |kwargs|key type|dict type)",
            r"Unsupported `func` in|unsupported (SymNode|hasattr|method|arguments|__getitem__|function|torch\._C)|call_function|call_method|call_id",
            r"returned non-Tensor|[Cc]annot trace|[Uu]ntraceable|[Mm]issing (attribute|bytecode|BUILD_|CALL_|tp_|sq_|mp_|len_|hash_|richcompare|args)",
            r"missing: |missing_mp|_impl not implemented|slot not implemented|not implemented in python|implemented in C|[Uu]nhandled|[Uu]nimplemented",
            r"hasattr\(?|getattr\(?|\bisinstance\(\)|issubclass\(\)|\bsuper\b|itertools|functools|[Nn]um[Pp]y|numpy|C method|C-level|repr\(\)|str\(\)",
            r"__getattr__|__hash__|\bhash\b|[Hh]ashab|iter\(\)|next\(\)|trace generator|on generator|sub-generator|[Uu]npack(ing)? object",
            r"Generator method|builtin|constant fold|richcompare|[Cc]omparison|[Vv]ariadic|BUILD_(STRING|SET)|SEND with|deque|dict\b|dict_keys",
            r"[Ii]mport (result|failure)|(local|deleted) variable|uninitialized|when attempting to inline|Inline attempt|nn\.Module (method|__getitem__)",
            r"const method call|constant-like method|random_ op|uniform_ op|random\.Random|torch\.Generator|device argument|get_device_module|accelerator",
            r"user-defined object|User-defined object|nested function with|closure|Tensor subclass|tensor method|set with tensors|torch\.compile call",
            r"arg type|list elements are|Strict mode banned|sourceless builder|unsupported torch",
        ),
    ),
)
_COMPILED = tuple((family, re.compile("|".join(patterns))) for family, patterns in _HEAD)


def is_no_break(text: str) -> bool:
    """Whether a skipped frame is no break: there was nothing in it to compile."""
    return bool(_NO_BREAK.search(text))


def cost_of(text: str) -> str:
    """What a frame that was given up cost, with the construct that made torch give it up where the text names it."""
    if re.search(r"graph break in (a for/while )?loop", text):
        return "whole frame skipped: graph break in a loop"
    if "GenericContextWrappingVariable" in text or "Unsupported context manager" in text:
        return "whole frame skipped: graph break in a context manager"
    return "whole frame skipped"


def family_of(text: str, exception: str = "") -> str:
    """The family key of torch's ``text``, raised as an exception of class ``exception``."""
    for family, pattern in _WHOLE_TEXT:
        if re.search(pattern, text):
            return family
    if exception in _EXCEPTIONS:
        return _EXCEPTIONS[exception]
    head = first_line(text)
    return next((family for family, known in _COMPILED if known.search(head)), UNCLASSIFIED)
