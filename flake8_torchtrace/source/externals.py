"""What calls of things outside the file return: torch by its own declarations, builtins and a little of the standard library."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from flake8_torchtrace.source import calls
from flake8_torchtrace.source.codes import code_value, kind_code
from flake8_torchtrace.source.elements import element_of, items_of
from flake8_torchtrace.source.frame import Frame
from flake8_torchtrace.source.guards import guard_value, is_guard
from flake8_torchtrace.source.handlers import HANDLERS
from flake8_torchtrace.source.knowledge import Kinds, load
from flake8_torchtrace.source.numpy_calls import numpy_result
from flake8_torchtrace.source.sizes import has_data_size, is_data_size, is_kept, size_result, with_data_size
from flake8_torchtrace.source.values import (
    BOOL,
    DATA_SIZE,
    FLOAT,
    INT,
    NONE,
    PYTHON,
    STR,
    UNKNOWN,
    Drawn,
    External,
    Func,
    Instance,
    Mapping,
    Python,
    Ref,
    Sequence,
    Super,
    Tensor,
    Value,
    drop_none,
    join,
    join_all,
    known_truth,
    tensor_of,
    weaken,
)

if TYPE_CHECKING:
    from flake8_torchtrace.source.interpreter import Interpreter

Keywords = dict[str, Value]


def call(
    it: Interpreter, dotted: str, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """What ``dotted(...)`` returns."""
    guard = guard_value(dotted)
    if guard is not None:
        return guard
    handler = _HANDLERS.get(dotted)
    if handler is not None:
        return handler(it, args, keywords, node, frame)
    if dotted in _PLAIN:
        return _PLAIN[dotted]
    if dotted in _PASSING:
        return _passing(it, args, keywords, frame)
    knowledge = load()
    if knowledge.is_module_class(dotted):
        return External(dotted, _constructor_args(dotted, args, keywords))
    if dotted.startswith("torch."):
        return _torch_result(it, dotted, args, keywords, node, frame)
    return _other(it, dotted, args, keywords, node, frame)


def _constructor_args(dotted: str, args: list[Value], keywords: Keywords) -> tuple[Value, ...]:
    """What is kept of a torch module's constructor arguments: the modules in containers, and what decides its result."""
    if dotted in ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict"):
        return tuple(args) or tuple(keywords.values())
    flags = tuple(value for name, value in keywords.items() if name in ("return_indices", "return_attention_scores"))
    return flags


def _torch_result(
    it: Interpreter, dotted: str, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    it.call_passed(args, keywords, frame)
    if dotted == "torch.nn.Parameter":
        return Tensor(True, "float", ("nn.Parameter", getattr(node, "lineno", 0)))
    knowledge = load()
    count, names, kinds = shape_of_call(args, keywords)
    code = knowledge.function_return(dotted, count, names, kinds)
    if dotted.startswith("torch.distributions."):
        return _of_distribution(dotted, node)
    if code is None:
        return weaken(calls._guess(args, keywords)) if dotted.startswith("torch.ops.") else UNKNOWN
    origin = (dotted.removeprefix("torch.nn.functional.") if dotted.startswith("torch.nn.functional.") else dotted, getattr(node, "lineno", 0))
    if code == "bool" and node is not None and knowledge.data_dependent(dotted, count, names, kinds):
        return Drawn(node, True, dotted.rpartition(".")[2])
    if code == "?" and any(isinstance(arg, Tensor) for arg in args):
        return _ambiguous(args)
    name = dotted.rpartition(".")[2]
    value = _reduced(code_value(code, origin, node, True, _dtype(name, args, keywords, node)), name, args, keywords)
    is_data = knowledge.data_dependent(dotted, count, names, kinds) == "shape" and _makes_rows(name, args, keywords)
    return with_data_size(value) if is_data or is_kept(name, args) else value


def _makes_rows(name: str, args: list[Value], keywords: Keywords) -> bool:
    """``repeat_interleave`` may make columns instead."""
    dim = keywords.get("dim", args[2] if len(args) > 2 else None)
    return name != "repeat_interleave" or dim is None or known_truth(dim) is False


_SAMPLED = {"sample": "", "rsample": "float", "log_prob": "float", "entropy": "float", "cdf": "float", "icdf": "float", "kl_divergence": "float"}


def _of_distribution(dotted: str, node: ast.Call | None) -> Value:
    last = dotted.rpartition(".")[2]
    if last in _SAMPLED:
        return Tensor(True, _SAMPLED[last], (dotted, getattr(node, "lineno", 0)))
    return External(dotted) if last[:1].isupper() else UNKNOWN


def _ambiguous(args: list[Value]) -> Value:
    return Tensor(False)


def tensor_method_result(
    it: Interpreter, receiver: Tensor, name: str, args: list[Value], keywords: Keywords, node: ast.Call | None
) -> Value:
    """What ``receiver.name(...)`` returns."""
    size = size_result(name, [receiver, *args])
    if size is not None:
        return size
    knowledge = load()
    count, names, kinds = shape_of_call(args, keywords)
    code = knowledge.method_return(name, count, names, kinds)
    if code is None or code == "?":
        return UNKNOWN if code is None else Tensor(False)
    origin = receiver.origin
    if code == "bool" and node is not None and knowledge.data_dependent(f"torch.Tensor.{name}", count, names, kinds):
        return Drawn(node, receiver.sure, name)
    everything = [receiver, *args]
    value = _reduced(code_value(code, origin, node, receiver.sure, _dtype(name, everything, keywords, node)), name, everything, keywords)
    is_data = knowledge.data_dependent(f"torch.Tensor.{name}", count, names, kinds) == "shape" and _makes_rows(name, everything, keywords)
    return with_data_size(value) if is_data or is_kept(name, everything) else value


_REDUCE = {"sum", "mean", "max", "min", "amax", "amin", "argmax", "argmin", "prod", "std", "var", "norm", "median", "all", "any", "count_nonzero"}
_KEEP_SHAPE = {"long", "int", "float", "to", "type", "clone", "detach", "cpu", "cuda", "abs", "clamp", "ceil", "floor", "round"}


def _reduced(value: Value, name: str, args: list[Value], keywords: Keywords) -> Value:
    """``value`` with what is known of its shape: a reduction over everything leaves no dimension."""
    if not isinstance(value, Tensor) or not args:
        return value
    is_reduction = name in _REDUCE and len(args) == 1 and not keywords.keys() - {"dtype"}
    first = args[0]
    if is_reduction or (name in _KEEP_SHAPE and isinstance(first, Tensor) and first.is_scalar):
        return Tensor(value.sure, value.dtype, value.origin, True, is_computed=value.is_computed)
    return value


def module_result(it: Interpreter, module: External, args: list[Value], node: ast.Call | None) -> Value:
    """What calling a torch module returns."""
    is_pool = module.dotted.endswith(("MaxPool1d", "MaxPool2d", "MaxPool3d"))
    flags = {"return_indices": module.args[0]} if is_pool and module.args else {}
    _, names, kinds = shape_of_call([], flags)
    code = load().module_return(module.dotted, 0, names, kinds)
    origin = (f"nn.{module.dotted.rpartition('.')[2]}", getattr(node, "lineno", 0))
    if code is None or code == "?":
        if module.dotted in ("torch.nn.Identity", "torch.nn.Dropout") and args:
            return args[0]
        return calls._guess(args, {})
    value = code_value(code, origin, node, True, "float")
    return with_data_size(value) if args and has_data_size(args[0]) else value


def shape_of_call(args: list[Value], keywords: Keywords) -> tuple[int | None, list[str], Kinds]:
    starred = any(isinstance(arg, Sequence) and arg.type == "*" for arg in args)

    def kinds(key: int | str) -> str | None:
        value = args[key] if isinstance(key, int) and key < len(args) else keywords.get(key) if isinstance(key, str) else None
        return None if value is None else kind_code(value)

    return (None if starred else len(args)), [name for name in keywords if name != "**"], kinds


_KEEPS_DTYPE = {
    "unsqueeze", "squeeze", "view", "reshape", "flatten", "expand", "expand_as", "permute", "transpose", "t", "contiguous", "clone",
    "detach", "repeat", "flip", "roll", "index_select", "gather", "unfold", "view_as", "reshape_as", "repeat_interleave", "cat",
    "concat", "stack", "chunk", "split", "unbind", "narrow", "select", "masked_fill", "triu", "tril", "movedim", "swapaxes", "tile",
    "broadcast_to", "unflatten", "diagonal", "cuda", "cpu", "zeros_like", "ones_like", "full_like", "empty_like", "pad",
    "take_along_dim", "atleast_1d", "atleast_2d", "ravel", "clamp", "minimum", "maximum", "abs", "max", "min", "new_zeros", "new_ones",
}  # fmt: skip

_CASTS = {
    "bool": "bool", "long": "int", "int": "int", "short": "int", "byte": "int", "float": "float", "double": "float", "half": "float",
    "bfloat16": "float",
}  # fmt: skip
_DEFAULT_FLOAT = {"zeros", "ones", "empty", "linspace", "rand", "randn", "mean", "interpolate", "normalize", "softmax", "log_softmax", "linear"}


def _dtype(name: str, args: list[Value], keywords: Keywords, node: ast.Call | None) -> str:
    """The dtype class of a result, as far as the call tells."""
    stated = keywords.get("dtype")
    if stated is None and name in ("to", "type") and len(args) > 1:
        stated = args[1]
    if isinstance(stated, Ref):
        return _dtype_of_name(stated.dotted)
    if stated is not None:
        return ""
    plain = name.rstrip("_")
    fixed = load().result_dtype(name) or load().result_dtype(plain)
    if fixed is not None:
        return fixed if fixed in ("bool", "int", "float") else ""
    if plain in _CASTS:
        return _CASTS[plain]
    if plain in _KEEPS_DTYPE and args:
        return _first_dtype(args)
    if plain in ("arange",):
        return "float" if any(isinstance(arg, Python) and arg.type == "float" for arg in args) else "int"
    if plain in ("sum", "cumsum", "prod") and args:
        first = _first_dtype(args)
        return "int" if first in ("bool", "int") else first
    if plain in _DEFAULT_FLOAT:
        return "float"
    if plain in ("full",) and len(args) > 1:
        return {"bool": "bool", "int": "int", "float": "float"}.get(args[1].type, "") if isinstance(args[1], Python) else ""
    if plain in ("tensor", "as_tensor") and args:
        return _literal_dtype(args[0])
    if plain in ("where",) and len(args) == 3:
        return _joined_dtype(args[1], args[2])
    if plain in ("bitwise_and", "bitwise_or", "bitwise_not", "bitwise_xor"):
        return _first_dtype(args)
    return ""


def _first_dtype(args: list[Value]) -> str:
    first = drop_none(args[0])
    if isinstance(first, Sequence):
        first = first.element
    tensor = tensor_of(first)
    return tensor.dtype if tensor is not None else ""


def _joined_dtype(first: Value, second: Value) -> str:
    kinds = [tensor.dtype if (tensor := tensor_of(value)) else getattr(value, "type", "") for value in (first, second)]
    return kinds[0] if kinds[0] == kinds[1] else ""


def _literal_dtype(value: Value) -> str:
    while isinstance(value, Sequence):
        value = value.element
    return {"bool": "bool", "int": "int", "float": "float"}.get(value.type, "") if isinstance(value, Python) else ""


def _dtype_of_name(dotted: str) -> str:
    last = dotted.rpartition(".")[2]
    if last in ("bool", "BoolTensor"):
        return "bool"
    if last.startswith(("int", "uint", "long", "short", "Long", "Int")):
        return "int"
    return "float" if last.startswith(("float", "double", "half", "bfloat", "complex")) else ""


def _other(
    it: Interpreter, dotted: str, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame
) -> Value:
    """Something outside torch and the standard names: the project index first, then what the name and arguments suggest."""
    found = it.project_call(dotted, args, keywords, frame, node)
    if found is not None:
        return found
    it.call_passed(args, keywords, frame)
    last = dotted.rpartition(".")[2]
    if last in ("getLogger", "get_logger"):
        return External("logging.Logger")
    if dotted.startswith("numpy."):
        return numpy_result(dotted, args, keywords, node)
    if dotted.startswith("builtins."):
        return UNKNOWN
    if last[:1].isupper():
        return External(dotted)
    if last.startswith(_PREDICATE_NAMES):
        return BOOL
    if any(isinstance(drop_none(arg), Tensor) for arg in args) and not dotted.startswith("builtins."):
        return Tensor(False)
    return UNKNOWN


_PREDICATE_NAMES = ("is_", "_is_", "has_", "_has_", "should_", "can_", "exists", "use_")


def _len(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return DATA_SIZE if args and isinstance(args[0], Tensor) and args[0].has_data_size else INT


def _number(kind: Value) -> Callable[..., Value]:
    def convert(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        if args and node is not None:
            first = drop_none(args[0])
            if isinstance(first, Drawn):
                return first
            if is_data_size(first):
                return DATA_SIZE
            tensor = tensor_of(first)
            if tensor is not None:
                return Drawn(node, tensor.sure, "number")
        truth = known_truth(args[0]) if args and kind is BOOL else None
        return kind if truth is None else Python("bool", truth)

    return convert


def _range(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if node is not None:
        for value in args:
            it.decided(value, node)
    return Sequence(INT, None, "range")


def _zip(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    elements = tuple(element_of(it, arg, frame) for arg in args)
    return Sequence(Sequence(join_all(list(elements)), elements, "tuple"), None, "list")


def _enumerate(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    element = element_of(it, args[0], frame) if args else UNKNOWN
    return Sequence(Sequence(UNKNOWN, (INT, element), "tuple"), None, "list")


def _copy_sequence(kind: str) -> Callable[..., Value]:
    def convert(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        if not args:
            return Sequence(UNKNOWN, (), kind)
        element = element_of(it, args[0], frame)
        call_key(it, keywords, [element], node, frame)
        return Sequence(element, items_of(args[0]) if kind in ("list", "tuple") else None, kind)

    return convert


def call_key(it: Interpreter, keywords: Keywords, values: list[Value], node: ast.Call | None, frame: Frame) -> None:
    """``sorted``, ``min`` and their kin call the function given as ``key`` with each of ``values``, and compare what it gives."""
    key = drop_none(keywords.get("key", UNKNOWN))
    results = [calls.call_value(it, key, [value], {}, None, frame) for value in values]
    if "key" in keywords and results and node is not None:
        it.ordered(node, join_all(results), frame)


def _sum(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    element = element_of(it, args[0], frame) if args else UNKNOWN
    return FLOAT if isinstance(element, Python) else element


def _extreme(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    found = args if len(args) > 1 else [element_of(it, args[0], frame)] if args else []
    call_key(it, keywords, found, node, frame)
    for value in found:
        tensor = tensor_of(value)
        if tensor is not None:
            return tensor
    for value in found:
        if isinstance(value, Drawn):
            return value
    return join_all(found)


def _all_any(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if args and node is not None and node.args:
        argument = node.args[0]
        element = element_of(it, args[0], frame)
        asked = argument.elt if isinstance(argument, ast.GeneratorExp | ast.ListComp) else argument
        it.tested(asked, element, frame, "any/all")
        if isinstance(element, Drawn):
            return element
    return BOOL


def _getattr(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    from flake8_torchtrace.source.attributes import attribute_value

    name = node.args[1] if node is not None and len(node.args) > 1 else None
    if not args or not isinstance(name, ast.Constant) or not isinstance(name.value, str):
        return UNKNOWN
    found = attribute_value(it, args[0], name.value, None, frame)
    return join(found, args[2]) if len(args) > 2 and not is_guard(found) else found


def _super(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    owner, bound = it.method_context(frame)
    return Super(owner, bound) if owner is not None and bound is not None else UNKNOWN


def _dict(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    keys = tuple((name, value) for name, value in keywords.items() if name != "**")
    if args and isinstance(args[0], Mapping):
        return Mapping(join_all([args[0].element, *keywords.values()]), (*args[0].keys, *keys))
    return Mapping(join_all(list(keywords.values())), keys)


def _partial(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if args and isinstance(args[0], Func):
        found = args[0]
        return Func(found.info, found.bound, found.closure, (*found.args, *args[1:]))
    return args[0] if args and isinstance(args[0], Ref | External | Instance) else UNKNOWN


def _map(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if not args:
        return UNKNOWN
    elements = [element_of(it, arg, frame) for arg in args[1:]]
    return Sequence(calls.call_value(it, args[0], elements, {}, None, frame), None, "list")


def _filter(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if len(args) < 2:
        return UNKNOWN
    element = element_of(it, args[1], frame)
    result = calls.call_value(it, args[0], [element], {}, None, frame)
    if node is not None:
        it.tested(node.args[0], result, frame, "filter")
    return Sequence(element, None, "list")


def _reduce(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if len(args) < 2:
        return UNKNOWN
    element = element_of(it, args[1], frame)
    return calls.call_value(it, args[0], [element, element], {}, None, frame)


def _first_argument(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return args[0] if args else UNKNOWN


def _second_argument(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return args[1] if len(args) > 1 else UNKNOWN


def _next(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return element_of(it, args[0], frame) if args else UNKNOWN


def _math(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return _number(FLOAT)(it, args, keywords, node, frame)


def _chain(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return Sequence(join_all([element_of(it, arg, frame) for arg in args]), None, "list")


def _tensor_like(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    first = tensor_of(drop_none(args[0])) if args else None
    return Tensor(True, first.dtype if first else "", ("einops", getattr(node, "lineno", 0)))


def _einops_pack(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    packed = Tensor(True, "", ("einops.pack", getattr(node, "lineno", 0)))
    return Sequence(UNKNOWN, (packed, Sequence(INT, None, "list")), "tuple")


def _einops_unpack(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    return Sequence(Tensor(True, "", ("einops.unpack", getattr(node, "lineno", 0))), None, "list")


def _call_first(skip: int = 1) -> Callable[..., Value]:
    """For functions that call what they are given with the rest: ``checkpoint(f, x)``."""

    def run(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
        if not args:
            return UNKNOWN
        given = {name: value for name, value in keywords.items() if name not in ("use_reentrant", "preserve_rng_state", "context_fn")}
        return calls.call_value(it, args[0], args[skip:], given, None, frame)

    return run


def _cond(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    operands = args[3] if len(args) > 3 else keywords.get("operands", UNKNOWN)
    given = list(items_of(operands) or [])
    return join_all([calls.call_value(it, branch, given, {}, None, frame) for branch in args[1:3]])


def _functional_call(it: Interpreter, args: list[Value], keywords: Keywords, node: ast.Call | None, frame: Frame) -> Value:
    if not args:
        return UNKNOWN
    given = args[2] if len(args) > 2 else UNKNOWN
    return calls.call_value(it, args[0], list(items_of(given) or [given]), {}, None, frame)


def _passing(it: Interpreter, args: list[Value], keywords: Keywords, frame: Frame) -> Value:
    return args[0] if args else UNKNOWN


_PASSING = {
    "torch.compile", "torch.vmap", "torch.func.vmap", "torch.func.grad", "torch.jit.ignore", "functools.wraps", "functools.lru_cache",
    "functools.cache",
}  # fmt: skip
_PLAIN: dict[str, Value] = {
    "builtins.isinstance": BOOL, "builtins.issubclass": BOOL, "builtins.hasattr": BOOL, "builtins.callable": BOOL,
    "builtins.str": STR, "builtins.repr": STR, "builtins.format": STR, "builtins.type": PYTHON, "builtins.id": INT,
    "builtins.hash": INT, "builtins.ord": INT, "builtins.chr": STR, "builtins.print": NONE, "builtins.slice": PYTHON,
    "builtins.input": STR, "os.getpid": INT, "time.time": FLOAT, "time.perf_counter": FLOAT, "time.monotonic": FLOAT,
    "random.random": FLOAT, "random.choice": UNKNOWN, "os.getenv": STR,
    "logging.getLogger": External("logging.Logger"), "torch.nn.functional.handle_torch_function": UNKNOWN,
    "torch.overrides.has_torch_function": BOOL, "torch.overrides.is_tensor_like": BOOL, "torch.get_default_dtype": PYTHON,
    "torch.finfo": PYTHON, "torch.iinfo": PYTHON, "torch.device": PYTHON, "torch.is_tensor": BOOL, "torch.is_storage": BOOL,
}  # fmt: skip
_HANDLERS: dict[str, Callable[..., Value]] = {
    "builtins.len": _len, "builtins.int": _number(INT), "builtins.float": _number(FLOAT), "builtins.bool": _number(BOOL),
    "builtins.complex": _number(FLOAT), "operator.index": _number(INT), "builtins.range": _range, "builtins.zip": _zip,
    "builtins.enumerate": _enumerate, "builtins.list": _copy_sequence("list"), "builtins.tuple": _copy_sequence("tuple"),
    "builtins.set": _copy_sequence("set"), "builtins.frozenset": _copy_sequence("set"), "builtins.sorted": _copy_sequence("sorted"),
    "builtins.reversed": _copy_sequence("reversed"), "builtins.iter": _copy_sequence("list"), "builtins.sum": _sum,
    "builtins.min": _extreme, "builtins.max": _extreme, "builtins.all": _all_any, "builtins.any": _all_any,
    "builtins.getattr": _getattr, "builtins.super": _super, "builtins.dict": _dict, "collections.OrderedDict": _dict,
    "collections.deque": _copy_sequence("list"), "collections.defaultdict": lambda *_: Mapping(UNKNOWN), "functools.partial": _partial,
    "builtins.map": _map, "builtins.filter": _filter, "functools.reduce": _reduce,
    "builtins.next": _next, "builtins.abs": _first_argument, "builtins.round": _first_argument, "builtins.pow": _first_argument,
    "copy.copy": _first_argument, "copy.deepcopy": _first_argument, "typing.cast": _second_argument,
    "itertools.chain": _chain, "contextlib.nullcontext": _first_argument, "torch.utils.checkpoint.checkpoint": _call_first(),
    "torch.cond": _cond, "torch._higher_order_ops.cond": _cond,
    "functorch.experimental.control_flow.cond": _cond, "torch.func.functional_call": _functional_call,
    **HANDLERS,
    "einops.rearrange": _tensor_like, "einops.reduce": _tensor_like, "einops.repeat": _tensor_like, "einops.einsum": _tensor_like,
    "einops.pack": _einops_pack, "einops.unpack": _einops_unpack, "einx.get_at": _tensor_like,
    **{f"math.{name}": _math for name in (
        "sqrt", "exp", "log", "log2", "log10", "floor", "ceil", "sin", "cos", "tan", "pow", "fabs", "isnan", "isinf", "isfinite",
        "trunc", "tanh", "atan2", "prod", "isclose", "log1p", "expm1", "degrees", "radians", "hypot", "copysign", "fmod", "gcd")},
}  # fmt: skip
