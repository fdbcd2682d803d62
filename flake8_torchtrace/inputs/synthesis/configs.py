"""Configuration objects: found by annotation or convention, made with their defaults, and made small."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Iterable
from fractions import Fraction
from math import gcd
from typing import Any

from .kinds import is_module_class
from .references import name_of
from .signatures import signature
from .sizes import plain
from .usage import Usage
from .values import Literal, Made, Value

SCALED, SHALLOW, DEFAULT = 0, 1, 2
_PARAMETER = re.compile(r"^(model_?|net_?)?(config|cfg|conf|configuration|args|hparams|opts?|options|params|settings)$|_?config$")
_CLASS = re.compile(r"(config|configuration|args|arguments|hparams|options|settings|hyperparameters|cfg)$", re.IGNORECASE)
_HEADS = re.compile(r"heads?$|n_head$|attention_heads")
_NOT_A_WIDTH = re.compile(
    r"head_dim|head_size|vocab|image|img|patch|window|kernel|crop|batch|position|stride|_id$|_ids$|token|seq|length|max_|num_labels|sample|pool|"
    r"conv_dim|codebook|chunk|lora|bucket|feat_extract|num_mel|fft|hop|frame|class|layers|type|grid|resolution|rotary|group"
)
_WIDTH = re.compile(r"hidden|dim|size|width|embd|embed|channels|intermediate|ffn|inner|units|filters|d_model|d_ff|features|rank|d_kv")
_DEPTH = re.compile(r"(num|n)_?(hidden_|encoder_|decoder_)?(layers?|blocks)$|(encoder|decoder|hidden|num)_.*layers$|^(depth|layers)$")
_DEPTHS = re.compile(r"depths$|^(num_)?(layers|blocks)$")
_MANY = re.compile(r"^num_(queries|denoising|proposals|anchors)$|_num_proposals$")
_TOKEN = re.compile(r"token|(^|_)(pad|bos|eos|sep|cls|mask|unk)_(id|index|idx)$")
_SMALLEST_WIDTH, _LARGEST_VOCABULARY, _LAYERS, _MOST_KINDS, _FEW = 32, 2048, 2, 4, 8


def is_config_name(name: str) -> bool:
    """Whether a parameter of this name is one for a configuration."""
    return _PARAMETER.search(plain(name)) is not None


def is_depth(name: str) -> bool:
    """Whether a size of this name is a number of layers."""
    return _DEPTH.search(plain(name)) is not None


def is_config_class(cls: Any) -> bool:
    """Whether ``cls`` is a class of configurations: by its name, or a dataclass that is no module."""
    if not isinstance(cls, type) or is_module_class(cls) or cls.__module__.partition(".")[0] in ("torch", "builtins"):
        return False
    return _CLASS.search(cls.__name__) is not None or (dataclasses.is_dataclass(cls) and not hasattr(cls, "forward"))


def find(owner: Any, usage: Usage | None, scope: Iterable[Any]) -> Any:
    """The class of configurations that ``owner`` takes: its ``config_class``, else the one in ``scope`` with most of the attributes it reads."""
    declared = getattr(owner, "config_class", None)
    if isinstance(declared, type):
        return declared
    wanted = usage.attributes if usage is not None else set()
    found = [(len(wanted & _attributes(cls)), cls) for cls in scope if is_config_class(cls)]
    best = max(found, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] * 2 >= len(wanted) and best[0] else None


def _attributes(cls: Any) -> set[str]:
    names = set(dir(cls)) | {name for base in cls.__mro__ for name in getattr(base, "__annotations__", {})}
    try:
        names |= {parameter.name for parameter in signature(cls).parameters}
    except (TypeError, ValueError):
        return names
    return names


def made(cls: Any, size: int, required: dict[str, Value] | None = None, depth: int = 0) -> Made:
    """A call that makes a configuration: SCALED down, SHALLOW with few layers only, or with all its DEFAULT values.

    ``required`` are the arguments that have no default. Raises what making it with its defaults raises.
    """
    call = Made(name_of(cls), required or {})
    if size == DEFAULT:
        return call
    given = {name: value.value for name, value in (required or {}).items() if isinstance(value, Literal)}
    instance = cls(**given)
    return Made(call.callee, {**call.arguments, **_smaller(cls, instance, size, depth)})


def _smaller(cls: Any, instance: Any, size: int, depth: int) -> dict[str, Value]:
    values = {name: value for name, value in fields(cls, instance).items()}
    changed: dict[str, Value] = {name: Literal(value) for name, value in _shallow(values).items()}
    if size == SCALED:
        changed.update({name: Literal(value) for name, value in _scaled(values).items()})
        changed.update({name: Literal(value) for name, value in _with_few_words(values).items()})
    for name, value in values.items():
        if depth < 2 and (is_config_class(type(value)) or isinstance(value, type(instance))) and type(value).__module__ != "builtins":
            changed[name] = _nested(value, size, depth)
    return changed


def _nested(value: Any, size: int, depth: int) -> Made:
    cls = type(value)
    defaults = fields(cls, cls())
    plain_values = {name: item for name, item in fields(cls, value).items() if _is_plain(item) and _is_plain(defaults.get(name))}
    own = {name: Literal(item) for name, item in plain_values.items() if item != defaults.get(name)}
    return Made(name_of(cls), {**own, **_smaller(cls, value, size, depth + 1)})


def fields(cls: Any, instance: Any) -> dict[str, Any]:
    """The attributes of a configuration that its constructor takes."""
    taken = signature(cls)
    names = {parameter.name for parameter in taken.parameters}
    if dataclasses.is_dataclass(cls):
        names |= {field.name for field in dataclasses.fields(cls) if field.init}
    elif taken.takes_any:
        names |= set(vars(instance))
    found = {}
    for name in sorted(names):
        with contextlib.suppress(Exception):  # a property may refuse
            if not name.startswith("_"):
                found[name] = getattr(instance, name)
    return found


def _shallow(values: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for name, value in values.items():
        if _DEPTH.search(name) and isinstance(value, int) and not isinstance(value, bool) and value > _LAYERS:
            lists = {key: item for key, item in values.items() if isinstance(item, list) and len(item) == value and _is_plain(item)}
            places = _one_of_each_kind(list(lists.values()))
            changed[name] = len(places)
            changed.update({key: [item[place] for place in places] for key, item in lists.items()})
        elif _MANY.search(name) and isinstance(value, int) and value > _FEW:
            changed[name] = _FEW
        elif _DEPTHS.search(name) and _are_whole(value) and max(value) > 1 and min(value) > 0 and len(value) < 8:
            changed[name] = type(value)(1 for _ in value)
    return changed


def _one_of_each_kind(lists: list[list[Any]]) -> list[int]:
    """The first place of each item of lists that have one item for each layer, so that every kind of layer stays; at least two."""
    seen: set[str] = set()
    places: list[int] = []
    for place, items in enumerate(zip(*lists, strict=True)):
        if repr(items) not in seen and len(places) < _MOST_KINDS:
            seen.add(repr(items))
            places.append(place)
    more = (place for place in range(_LAYERS) if place not in places)
    return sorted([*places, *(place for place, _ in zip(more, range(_LAYERS - len(places)), strict=False))])


def _scaled(values: dict[str, Any]) -> dict[str, Any]:
    """Widths and numbers of heads, all divided by the same number, so that what divides and what is equal stays so."""
    heads = [value for name, value in values.items() if _HEADS.search(name) and isinstance(value, int) and value > 0]
    heads += [item for name, value in values.items() if _HEADS.search(name) and _are_whole(value) for item in value]
    common = gcd(*heads) if heads else 1
    factor = Fraction(1 if len(set(heads)) > 1 else min(2, common), common)
    changed: dict[str, Any] = {}
    for name, value in values.items():
        is_heads = _HEADS.search(name) is not None
        is_width = _WIDTH.search(name) is not None and _NOT_A_WIDTH.search(name) is None
        if is_heads or is_width:
            smaller = _times(value, factor, 1 if is_heads else _SMALLEST_WIDTH)
            if smaller != value:
                changed[name] = smaller
    return changed


def _times(value: Any, factor: Fraction, smallest: int) -> Any:
    if _are_whole(value):
        if smallest > 1 and len(set(value)) > 1:  # the widths of stages, which other parts give
            return value
        found = [_times(item, factor, smallest) for item in value]
        return type(value)(found) if all(a != b or b < smallest for a, b in zip(found, value, strict=True)) else value
    if not isinstance(value, int) or isinstance(value, bool) or value < smallest or (value * factor).denominator != 1:
        return value
    return int(value * factor)


def _with_few_words(values: dict[str, Any]) -> dict[str, Any]:
    """A small vocabulary, with all special tokens moved into its upper end."""
    sizes = {name: value for name, value in values.items() if re.search(r"vocab_?size$", name) and isinstance(value, int)}
    large = {name: value for name, value in sizes.items() if value > _LARGEST_VOCABULARY}
    if not large:
        return {}
    changed: dict[str, Any] = dict.fromkeys(large, _LARGEST_VOCABULARY)
    place = min([_LARGEST_VOCABULARY, *(value for value in sizes.values() if value > 64)])
    moved: dict[int, int] = {}
    for name, value in values.items():
        if _TOKEN.search(name) and isinstance(value, int) and not isinstance(value, bool) and value >= _LARGEST_VOCABULARY // 2:
            moved.setdefault(value, place - 1 - len(moved))
            changed[name] = moved[value]
        elif _TOKEN.search(name) and _are_whole(value) and max(value) >= _LARGEST_VOCABULARY // 2:
            for item in value:
                moved.setdefault(item, place - 1 - len(moved))
            changed[name] = [moved[item] for item in value]
    return changed


def _are_whole(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(item, int) and not isinstance(item, bool) for item in value)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, (str, int)) and _is_plain(item) for key, item in value.items())
    return value is None or isinstance(value, (str, int, float, bool))
