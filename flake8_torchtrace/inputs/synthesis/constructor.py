"""The first guess at the arguments of a constructor: by default, annotation, name and use."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from . import configs, sizes
from .kinds import Kind, is_abstract, is_module_class, kind_of
from .references import name_of
from .signatures import Parameter, signature
from .usage import Usage, is_left_open, kept, usages_of_constructor
from .values import Literal, Made, Name, Several, TensorValue, Value

_DEEPEST = 3
_TRIES_OF_A_PART = 8
_MOST_CLASSES = 6
_MODULES = (
    "fn", "func", "net", "network", "module", "layer", "block", "model", "encoder", "decoder", "backbone", "proj", "transformer", "unet", "mlp",
    "attn",
)  # fmt: skip
_TYPES = ("norm", "norm_layer", "act_layer", "norm_class", "layer_norm", "conv_layer", "norm_cls", "attn_layer", "block_cls")
_FLAGS = (
    "use_", "is_", "with_", "has_", "causal", "bias", "add_", "enable", "return_", "flash", "training", "verbose", "residual",
    "bidirectional", "learned",
)  # fmt: skip
_ACTIVATIONS = ("act", "activation", "nonlinearity", "act_fn", "hidden_act", "activ", "activation_fn")
_NOTHING = Made(Name("torch", "torch.nn.Identity"))
_LAYER = Made(Name("torch", "torch.nn.Linear"), {"0": Literal(sizes.DIM), "1": Literal(sizes.DIM)})
_PATCHES = {"0": Literal(3), "1": Literal(sizes.DIM), "2": Literal(sizes.PATCH), "3": Literal(sizes.PATCH)}
_FLAT = sizes.DIM * (sizes.IMAGE // sizes.PATCH) ** 2
_PICTURES = Made(
    Name("torch", "torch.nn.Sequential"),
    {
        "0": Made(Name("torch", "torch.nn.Conv2d"), _PATCHES),
        "1": Made(Name("torch", "torch.nn.Flatten")),
        "2": Made(Name("torch", "torch.nn.Linear"), {"0": Literal(_FLAT), "1": Literal(sizes.DIM)}),
    },
)
_SAME_ANYWHERE = {"eval", "train", "to", "parameters", "forward", "modules", "state_dict", "requires_grad_", "device", "children", "named_parameters"}


class Constructor:
    """Guesses for the classes of one file. ``home`` is the imported file; ``config_size`` how small configurations are made."""

    def __init__(self, home: ModuleType, config_size: int = configs.SCALED, shrinks: bool = True) -> None:
        self._home = home
        self._config_size = config_size
        self._shrinks = shrinks
        self._built: dict[str, Made | None] = {}
        self._owner: Any = None

    def made(self, cls: Any, depth: int = 0) -> Made:
        """A call of ``cls`` with a guess for every argument that has no default. Raises LookupError."""
        try:
            taken = signature(cls)
        except (TypeError, ValueError):
            return Made(name_of(cls))
        used = usages_of_constructor(cls)
        arguments: dict[str, Value] = {}
        for number, parameter in enumerate(taken.parameters):
            if self._is_given(parameter):
                value = self.value(parameter, used.get(parameter.name), cls, depth)
                arguments[str(number) if parameter.is_positional_only else parameter.name] = value
            elif self._shrinks and self._is_deep(parameter):
                arguments[parameter.name] = Literal(sizes.DEPTH)
            elif parameter.name in ("pretrained", "weights", "download") and parameter.default:
                arguments[parameter.name] = Literal(None if parameter.name == "weights" else False)
        return Made(name_of(cls), arguments)

    def value(self, parameter: Parameter, usage: Usage | None, owner: Any, depth: int = 0) -> Value:
        """A guess for one argument."""
        kind = kind_of(parameter.annotation)
        usage = usage or Usage()
        self._owner = owner
        found = self._config(parameter, kind, usage, owner, depth)
        if found is None and kind.word != "unknown":
            found = self._of_kind(kind, parameter, usage, depth)
        return found if found is not None else self._of_name(parameter.name, usage, depth)

    def _is_given(self, parameter: Parameter) -> bool:
        if parameter.is_required:
            return True
        return parameter.default is None and configs.is_config_name(parameter.name) and configs.is_config_class(kind_of(parameter.annotation).cls)

    def _is_deep(self, parameter: Parameter) -> bool:
        value = parameter.default
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        return is_whole and value > 2 * sizes.DEPTH and configs.is_depth(parameter.name)

    def _config(self, parameter: Parameter, kind: Kind, usage: Usage, owner: Any, depth: int) -> Value | None:
        annotated = kind.cls if kind.word == "class" and not is_module_class(kind.cls) else None
        if not (configs.is_config_class(annotated) or configs.is_config_name(parameter.name)) or depth > _DEEPEST:
            return None
        declared = getattr(owner, "config_class", None)
        cls = annotated if configs.is_config_class(annotated) else None
        if cls is not None and isinstance(declared, type) and issubclass(declared, cls):
            cls = declared
        if cls is None and kind.word in ("unknown", "class"):
            cls = configs.find(owner, usage, vars(self._home).values())
        if cls is not None:
            return self._made_config(cls, depth)
        if usage.attributes and kind.word == "unknown":
            return Made(Name("types", "SimpleNamespace"), {name: self._of_name(name, Usage(), depth + 1) for name in sorted(usage.attributes)})
        return None

    def _made_config(self, cls: Any, depth: int) -> Made:
        required: dict[str, Value] = {}
        with contextlib.suppress(TypeError, ValueError):
            required = {p.name: self.value(p, None, cls, depth + 1) for p in signature(cls).parameters if p.is_required}
        try:
            return configs.made(cls, self._config_size, required)
        except Exception:  # its own code, run with a guess
            return Made(name_of(cls), required)

    def _of_kind(self, kind: Kind, parameter: Parameter, usage: Usage, depth: int) -> Value | None:
        name = parameter.name
        if kind.word == "int":
            return Literal(sizes.whole(name) or 4)
        if kind.word == "float":
            return Literal(_first(sizes.part(name), sizes.whole(name), 0.5))
        if kind.word == "bool":
            return Literal(False)
        if kind.word == "str":
            return Literal(usage.choices[0]) if usage.choices else Literal(self._text(name))
        if kind.word == "literal":
            first = kind.choices[0]
            return Literal(first) if isinstance(first, (str, int, float, bool, type(None))) else name_of(first)
        if kind.word == "tensor":
            return TensorValue((sizes.whole(name) or sizes.DIM,) * len(kind.dims or ("d",)), kind.dtype or "float32", 2 if kind.dtype else 0)
        if kind.word in ("list", "tuple"):
            return self._container(kind, parameter, usage, depth)
        if kind.word == "dict":
            return Several((), "dict")
        if kind.word == "class":
            return self._instance(kind.cls, name, usage, depth)
        if kind.word == "callable" and is_module_class(kind.cls):
            return self._type(name)
        if kind.word == "type":
            return self._type(name)
        if kind.word == "callable":
            is_activation = sizes.plain(name) in _ACTIVATIONS
            return Name("torch", "torch.nn.functional.gelu") if is_activation else self._of_name(name, usage, depth) if kind.cls is None else _NOTHING
        return None

    def _container(self, kind: Kind, parameter: Parameter, usage: Usage, depth: int) -> Value:
        singular = Parameter(parameter.name.rstrip("s"), parameter.default, parameter.annotation)
        items = kind.items or (Kind("int"),)
        if kind.word == "list":
            items = (items[0], items[0])
        made = tuple(self._of_kind(item, singular, usage, depth) or self._of_name(singular.name, usage, depth) for item in items)
        return Several(made, kind.word)

    def _instance(self, cls: Any, name: str, usage: Usage, depth: int) -> Value | None:
        if cls.__module__ == "torch" and cls.__name__ == "dtype":
            return Name("torch", "torch.float32")
        if cls.__module__ == "torch" and cls.__name__ == "device":
            return Literal("cpu")
        if depth >= _DEEPEST:
            return None
        if is_module_class(cls) and cls.__module__.startswith("torch.nn"):
            return self._module(name, usage, depth)
        candidates = [cls] if not is_abstract(cls) and not is_left_open(cls) else []
        candidates += subclasses(cls, self._home)[:_MOST_CLASSES] if not candidates else []
        for candidate in candidates or [cls]:
            with contextlib.suppress(LookupError):
                made = self.made(candidate, depth + 1)
                mended = self._mended(made) if is_module_class(cls) else made
                if mended is not None:
                    return mended
        return self.made(cls, depth + 1)

    def _of_name(self, name: str, usage: Usage, depth: int) -> Value:
        plain = sizes.plain(name)
        words = plain.split("_")
        if usage.choices:
            return Literal(usage.choices[0])
        if "ordered" in usage.deeds:
            whole = sizes.whole(name)
            return Literal(_first(sizes.part(name) if whole is None else None, whole, 1))
        if plain.startswith(_FLAGS) and not plain.endswith("dim"):
            return Literal(False)
        if plain in _TYPES or plain.endswith(("_layer", "_class", "_cls")):
            return self._type(name)
        if plain in _ACTIVATIONS:
            return Name("torch", "torch.nn.functional.gelu") if "called" in usage.deeds else Made(Name("torch", "torch.nn.GELU"))
        reads_parts = self._owner is not None and bool(kept(self._owner, name)[1]) if isinstance(self._owner, type) else False
        if (words[-1].rstrip("s") in _MODULES or plain in _MODULES or reads_parts) and not {"num", "n", "use"} & set(words):
            return Several((self._module(name, usage, depth),) * 2) if "iterated" in usage.deeds else self._module(name, usage, depth)
        if self._with_name(name) and depth < _DEEPEST:
            return self._module(name, usage, depth)
        if "called" in usage.deeds:
            return self._type(name)
        passed = {callee for callee, _ in usage.passed}
        if passed & {"Dropout", "dropout", "DropPath"}:
            return Literal(0.0)
        whole = sizes.whole(name)
        if whole is not None and (sizes.part(name) is None or whole in (sizes.DIM, sizes.HEADS)):
            return Several((Literal(whole), Literal(whole))) if usage.deeds & {"iterated", "indexed"} and words[-1].endswith("s") else Literal(whole)
        part = sizes.part(name)
        if part is not None:
            return Literal(part)
        if usage.attributes - _SAME_ANYWHERE:
            return self._module(name, usage, depth)
        if usage.deeds & {"iterated", "indexed"}:
            return Several((Literal(sizes.DIM), Literal(sizes.DIM)))
        if words[-1] in ("name", "type", "mode", "act", "path", "key"):
            return Literal(self._text(name))
        return Literal(sizes.DIM)

    def _module(self, name: str, usage: Usage, depth: int) -> Value:
        """The first of the modules that fit that can be built."""
        for made in self.modules(name, usage, depth, self._owner):
            mended = self._mended(made)
            if mended is not None:
                return mended
        return _NOTHING

    def _mended(self, made: Made) -> Made | None:
        """``made``, changed so far that it can be built; None if that does not succeed in a few tries."""
        key = made.callee.text
        if key not in self._built:
            self._built[key] = None  # a class that asks for itself must not go round
            self._built[key] = mended(made, self)
        return self._built[key]

    def modules(self, name: str, usage: Usage, depth: int, owner: Any = None) -> Iterator[Made]:
        """Modules for an argument: a class of that name, one with the attributes that are read of it, and small ones of torch."""
        read, keywords = kept(owner, name) if isinstance(owner, type) else (frozenset(), frozenset())
        wanted = (usage.attributes | read) - _SAME_ANYWHERE
        if depth < _DEEPEST:
            for cls in [*self._with_name(name), *(self._fitting(name, wanted, keywords, owner) if wanted or keywords else ())]:
                with contextlib.suppress(LookupError):
                    yield self.made(cls, depth + 1)
        yield from (_NOTHING, _LAYER, _PICTURES)

    def _with_name(self, name: str) -> list[Any]:
        plain = sizes.plain(name).replace("_", "")
        package = sys.modules.get(self._home.__name__.partition(".")[0])
        scopes = [vars(self._home), vars(package) if package is not None else {}]
        return [value for scope in scopes for key, value in scope.items() if key.lower() == plain and is_module_class(value)][:1]

    def _fitting(self, name: str, wanted: set[str], keywords: frozenset[str], owner: Any) -> list[Any]:
        """The classes at hand with most of the attributes ``wanted`` whose ``forward`` takes most of ``keywords``: those of the file first,

        then of the top of its package, then of the files beside it. What takes such a module itself is left out.
        """
        package = self._home.__name__.partition(".")[0]
        beside = self._home.__name__.rpartition(".")[0] or self._home.__name__
        others = [module for name, module in sorted(sys.modules.items()) if name.rpartition(".")[0] == beside]
        modules = [self._home, sys.modules.get(package), *others]
        near = [value for module in modules if isinstance(module, ModuleType) for value in vars(module).values() if is_module_class(value)]
        own = [cls for cls in dict.fromkeys(near) if cls.__module__.partition(".")[0] == package and not is_abstract(cls)]
        own = [cls for cls in own if cls is not owner and not _takes(cls, name)]
        scored = [(len(wanted & _own_attributes(cls)) + _taken(cls, keywords), cls) for cls in own]
        best = max((score for score, _ in scored), default=0)
        return [cls for score, cls in scored if score == best and score * 2 > len(wanted) + len(keywords)][:4]

    def _type(self, name: str) -> Value:
        plain = sizes.plain(name)
        if "norm" in plain:
            return Name("torch", "torch.nn.LayerNorm")
        if plain.startswith("act") or "activ" in plain:
            return Name("torch", "torch.nn.GELU")
        return Name("torch", "torch.nn.Identity")

    def _text(self, name: str) -> str:
        plain = sizes.plain(name)
        if "act" in plain.split("_") or "activation" in plain:
            return "relu"
        return {"device": "cpu", "padding_mode": "zeros", "reduction": "mean", "aggr": "mean", "mode": "mean", "pool": "mean"}.get(plain, "x")


def mended(made: Made, constructor: Constructor) -> Made | None:
    """``made`` with the repairs that let it be built, the first that gets further each time; None after a few tries."""
    from .attempt import build
    from .draft import Draft
    from .repairs_of_build import BuildRepairs

    draft, tried = Draft(made), set[str]()
    for _ in range(_TRIES_OF_A_PART):
        tried.add(draft.text)
        attempt = build(draft, 3.0)
        if attempt.error is None:
            return draft.module
        cls = getattr(sys.modules.get(draft.module.callee.module), draft.module.callee.name, None)
        following = (other for other in BuildRepairs(attempt, cls, constructor).drafts() if other.text not in tried)
        draft = next(following, draft)
    return None


def subclasses(cls: Any, home: ModuleType) -> list[Any]:
    """The classes made from ``cls`` that can have instances: those of ``home`` by their place in the file, then all others there are."""
    own = [value for value in vars(home).values() if isinstance(value, type) and value.__module__ == home.__name__]
    made = [*own, *sorted(_below(cls), key=lambda value: (value.__module__, value.__qualname__))]
    fitting = [value for value in dict.fromkeys(made) if issubclass(value, cls) and value is not cls]
    return [value for value in fitting if not is_abstract(value) and not is_left_open(value)]


def _below(cls: Any) -> set[Any]:
    found = set(cls.__subclasses__())
    return found.union(*(_below(other) for other in found))


def _takes(cls: Any, name: str) -> bool:
    """Whether the constructor of ``cls`` asks for an argument of that name."""
    try:
        found = signature(cls).find(name)
    except (TypeError, ValueError):
        return False
    return found is not None and found.is_required


def _taken(cls: Any, keywords: frozenset[str]) -> int:
    """How many of ``keywords`` the ``forward`` of ``cls`` takes."""
    try:
        taken = {parameter.name for parameter in signature(cls.forward).parameters}
    except (TypeError, ValueError, AttributeError):
        return 0
    return len(taken & keywords)


def _own_attributes(cls: Any) -> set[str]:
    import ast

    from .usage import tree_of

    found = set(dir(cls))
    for base in cls.__mro__:
        tree = tree_of(base.__init__) if "__init__" in vars(base) and not base.__module__.startswith("torch.") else None
        if tree is not None:
            nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
            found |= {node.attr for node in nodes if isinstance(node.value, ast.Name) and node.value.id == "self"}
    return found


def _first(*candidates: Any) -> Any:
    return next(value for value in candidates if value is not None)
