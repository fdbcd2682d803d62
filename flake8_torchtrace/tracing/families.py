"""Families of break reasons: what would mend the break, told from torch's own text.

Ordered tables, first match wins: patterns that need the whole text, exception classes that say it all, patterns for the
first line. First lines are the ``Gb_type`` texts of ``torch/_dynamo/graph_break_registry.json`` where the
installed torch has that file, and the free texts of the ``unimplemented(...)`` calls in ``torch/_dynamo`` before it.
A text that no pattern knows is "unclassified".
"""

from __future__ import annotations

import re

from .registry import first_line, ids_by_title, titles_by_id

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
            r"Call to `torch\.(_dynamo|compiler)\.disable\(\)`",
            r"_dynamo\.(graph_break|skip_frame|step_unsupported)\(\)",
            r"skip function (graph_break|skip_frame) in file|Skip (calling|inlining) `torch\.compiler\.disable",
            r"torch\._dynamo\.disable\(\) wrapp|Forced graph break|ComptimeContext graph break",
            r"step_unsupported\(\)",
        ),
    ),
    (
        "construction",
        (
            r"nn\.Parameter|skip function (Parameter|__new__) in file .*parameter|LOAD_BUILD_CLASS",
            r"__build_class__|parameter construction|construct Enum|namedtuple construction|class construction",
            r"Frozen dataclass|[Dd]ataclass (constructor|fields)|Calling subclass default constructor",
            r"Uninitialized nn\.Module|opaque object was created|RNN, GRU, or LSTM",
            r"user-defined object construction|user defined class without a source|register_constant|TypedDict",
            r"OrderedDict",
        ),
    ),
    (
        "dynamic-shape",
        (
            r"Unhinted data-dependent torch.Size|Dynamic shape operator|dynamic shape operator",
            r"data-dependent output shape|[Pp]ending unbacked",
            r"[Cc]onstraints violated|symbolic shapes|SymInt arguments|unbacked SymInt",
        ),
    ),
    (
        "value",
        (
            r"[Dd]ata pointer|min/max with non-constant key|data-dependent expression|generic_jump",
            r"Data-dependent|Dynamic control flow is not supported",
            r"[Dd]ata dependent operator|data-dependent branching|Tensor\.(item|tolist|data_ptr|numpy)\b",
            r"Dynamic slicing|tolist must be an|__getitem__ with non-constant",
            r"[Ii]ndexing (list|torch\.Size) with non-scalar|index\(Tensor\)|graph break in a for/while loop",
            r"FakeIdVariable|call_id|\bid\(\) with|compile-time-only id|Tensor object identity",
            r"BuiltinVariable\((bool|int|float|sorted|min|max|round|complex)\)|sort with non-constant keys",
            r"Data pointer comparison|\.numpy\(\) is not supported|nb_(int|float|bool|index)_impl",
            r"Tensor comparison op|slice assignment|guard_scalar|tensor\(\) with non-constant",
            r"Cannot (guard|evaluate)|real value",
        ),
    ),
    (
        "effect",
        (
            r"fake tensor in the exported program|add additional input during export|leaked? .*fake tensor",
            r"[Uu]nsafe side effect|Non-nullified side effect|Mutating a variable not in the current scope",
            r"Mutations? .* after export",
        ),
    ),
    (
        "autograd",
        (
            r"dual tensor input|backward\b|autograd|requires_grad|retain_grad|grad_fn|[Hh]ook|vjp|jvp",
            r"functorc?h|inference_mode",
            r"AutogradFunctionContext|backward_state|is_inference|saved? tensors|mark_dirty|sparse_grad",
            r"tensor and its gradient|_ImperativeEngine",
            r"RemovableHandle",
        ),
    ),
    (
        "context",
        (
            r"use_mem_pool|[Cc]ontext ?[Mm]anager|GenericContextWrapping|BEFORE_WITH|SETUP_WITH|contextlib",
            r"contextmanager",
            r"record_function escaped|profiler object|annotate escaped|deterministic_algorithms",
            r"function mode stack",
        ),
    ),
    (
        "introspection",
        (
            r"deepcopy|copy\.copy|\binspect\b|locals\(\)|globals\(\)|vars\(\)|weakref|traceback|__dict__",
            r"__getattribute__|metaclass|mro\b|python_type\(\)|__annotations__|typing\b",
        ),
    ),
    (
        "mutation",
        (
            r"STORE_GLOBAL|[Ww]rite to unmodeled|store_attr|STORE_ATTR|[Mm]utat|setattr|delattr|__delattr__",
            r"__setitem__|resize_|Tensor\.set_",
            r"share_memory_|set tensor attribute|attribute assignment|Inplace op|in-place|`out=`|out= ",
            r"immutable cell|attribute mutation|__class__ assignment|aliasing|sq_inplace|Side effect on",
            r"ass_(item|subscript)",
        ),
    ),
    (
        "exception",
        (
            r"[Oo]bserved exception|when making fake tensor call|TypeError from user code",
            r"\b[Ee]xception (with|object|constructor)|non-Exception|raise exception|EXCEPT_HANDLER",
            r"CLEANUP_THROW|assert with|RERAISE|RAISE_VARARGS|torch\._check",
        ),
    ),
    (
        "skipped",
        (
            r"marked as skipped|SkipFunctionVariable|skip function|inline in skipfiles|inlining disallowed",
            r"SKIP_DIRS|logging\.|Logger|warnings\.warn|reorder",
        ),
    ),
    (
        "internal",
        (
            r"recompile limit|cache_size_limit|cache limit|RestartAnalysis|[Rr]econstruct",
            r"Backend compiler exception|[Ff]ake tensor|FakeTensor|meta kernel|Fake tensor propagation|FSDP",
            r"distributed|P2P|[Nn]estedTensor|nested_tensor|sparse|tensor subclass|as_subclass",
            r"[Ss]parse tensor|__torch_function__|[Tt]riton|tma_descriptor|[Oo]paque|TorchScript|torch\.jit",
            r"ScriptModules",
            r"FakeScriptObject|_checkpoint_context_fn|HOP|[Hh]igherOrder|higher order",
            r"torch\.(cond|while_loop|scan|map|associative_scan)|wrap_with|invoke_subgraph|nonstrict_trace",
            r"assume_constant_result|_torchdynamo_inline|set_subgraph_inputs|check_meta_consistency",
            r"non-single Tensor return",
            r"strict_mode|strict mode|executorch|hints_wrapper|out_dtype|functional_call|leaf_function",
            r"[Cc]omprehension|resume|step_unsupported|Placement|PT2-compliant|op packet",
            r"[Gg]raph break in (inlined|a? ?(for/while )?loop)|NullVariable|infinite generator",
            r"device mismatch|example value|proxy",
            r"torch\.switch|flex_gemm|MAKE_CELL|COW |context_fn bound|missing fake impl|rank-relative",
            r"over a skipped function|VariableTracker|SourceType|getattr with no source|Expected bool, got",
        ),
    ),
    (
        "no-handler",
        (
            r"[Ff]ailed to trace",
            r"Unsupported (method|function|hasattr|next|nn\.Module|ndarray|event|super)",
            r"Unsupported (attribute for|arguments? |kwargs|key type|dict type)",
            r"Unsupported `func` in",
            r"unsupported (SymNode|hasattr|method|arguments|__getitem__|function|torch\._C)|call_function",
            r"call_method|call_id|returned non-Tensor|[Cc]annot trace|[Uu]ntraceable",
            r"[Mm]issing (attribute|bytecode|BUILD_|CALL_|tp_|sq_|mp_|len_|hash_|richcompare|args)|missing: ",
            r"missing_mp|_impl not implemented|slot not implemented|not implemented in python|implemented in C",
            r"[Uu]nhandled|[Uu]nimplemented|hasattr\(?|getattr\(?|\bisinstance\(\)|issubclass\(\)|\bsuper\b",
            r"SimpleNamespace|a namespace whose|bytes\(\)|bytearray|length_hint|classmethod of",
            r"unsupported attribute of|Unsupported attribute|Not a Python constant|missing method|_ntuple",
            r"ndarray\.|itertools|functools|[Nn]um[Pp]y|numpy|C method|C-level|repr\(\)|str\(\)|__getattr__",
            r"__hash__",
            r"\bhash\b|[Hh]ashab|iter\(\)|next\(\)|trace generator|on generator|sub-generator",
            r"[Uu]npack(ing)? object|Generator method|builtin|constant fold|richcompare|[Cc]omparison",
            r"[Vv]ariadic|BUILD_(STRING|SET)|SEND with|deque|dict\b|dict_keys|[Ii]mport (result|failure)",
            r"(local|deleted) variable|uninitialized|when attempting to inline|Inline attempt",
            r"nn\.Module (method|__getitem__)|const method call|constant-like method|random_ op|uniform_ op",
            r"random\.Random|torch\.Generator|device argument|get_device_module|accelerator",
            r"callable object with no|ContextVar|Call to a time function|user-defined object",
            r"User-defined object|nested function with|closure|Tensor subclass",
            r"tensor method|set with tensors|torch\.compile call|arg type|list elements are|Strict mode banned",
            r"sourceless builder|unsupported torch",
        ),
    ),
)
# Forms of torch 2.2 to 2.7 that the patterns above leave over: the free texts of ``unimplemented(...)`` in their ``torch/_dynamo``.
_FREE_TEXTS: tuple[tuple[str, str], ...] = (
    ("value", r"round\(\) on symbolic value|boolean masking setitem|unsupported index\(tensor\)|_constrain_as_"),
    ("value", r"non-static call|Tried to use data-dependent value|symint input is not supported"),
    ("autograd", r"\Atensor grad\Z|Storing handles in globals|factory functions .*require grad|queue_callback\(\)"),
    ("autograd", r"forward is a non-function|\Anon-function or method"),
    ("construction", r"purposely graph breaks on RNN|\AParameter[ (]|DataClassVariable iterator"),
    ("mutation", r"out variant|deleted attribute|MutableLocalSource"),
    ("exception", r"invalid handler args"),
    ("skipped", r"Reordering debugging function"),
    ("introspection", r"inspect_parameter_names|type\(obj\) for a generated custom object"),
    ("internal", r"block_depth|Infinite loop detected|higher_order|operator doesn't support|functional? transform"),
    ("internal", r"capture is disabled|\bvmap\b|torch\.func|argnums is expected|\ANYI|NYI - |restoring state|over function that"),
    ("internal", r"\AExpect(ed)? |combine_fn|tree structure of the inits|flattened into lifted|grad_enabled must|must be constants"),
    ("internal", r"with body that accepts|should be a Callable|script object is not safe|Scroll up for the stack|init leaves"),
    ("internal", r"Only tuple grids|Grid can have at most|async_op=True|cannot be run in context|context-specific operations"),
    ("no-handler", r"undefined LOAD_|FOR_ITER|UNPACK_|BINARY_OP|\Ainline |SEND |IMPORT_NAME|CALL_FUNCTION_EX|unconverted arg"),
    ("no-handler", r"YIELD_FROM|BUILD_LIST_UNPACK|\A[Gg]enerator|running .*\(\*|unsupported operator|object is not callable"),
    ("no-handler", r"is not defined\Z|failure in invoking function|abstract method|RestrictedListSubclass|list_compare|fromkeys"),
    ("no-handler", r"partial tensor op|zip\(\) has one argument|Sets with|__self__ mismatch|event method|GETATTR with no source"),
    ("no-handler", r"NNModule method|NNModuleVariable (missing|with key)|on NNModuleVariable|class property|optional input"),
    ("no-handler", r"torch function implementations|decorator in the compiled frame|non-const args|call_issubclass|__str__"),
    ("no-handler", r"str method|Dict key of type|key does not exist|Could not find|Sourceless|__func__|SDPAParams|isinstance"),
    ("no-handler", r"pytree-flattenable|\ATensor\.\w+\Z|\A(range|slice|next|set|frozenset)[.(]|\A\w+\(|\(\*|\(\) -> |Cannot unwrap var"),
)
_COMPILED = (
    *((family, re.compile("|".join(patterns))) for family, patterns in _HEAD),
    *((family, re.compile(pattern)) for family, pattern in _FREE_TEXTS),
)


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
    found = ids_by_title().get(head)
    return _of_title(head) if found is None else family_of_id(found)


def family_of_id(gb_id: str) -> str:
    """The family key of an id of the installed torch's registry: that of the latest of its texts that says one."""
    families = (_of_title(title) for title in titles_by_id().get(gb_id, ()))
    return next((family for family in families if family != UNCLASSIFIED), UNCLASSIFIED)


def _of_title(title: str) -> str:
    return next((family for family, known in _COMPILED if known.search(title)), UNCLASSIFIED)
