"""What to change of the arguments of a call after a failure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import torch

from . import sizes
from .arguments import Arguments, shape_of_rank
from .attempt import Attempt
from .demands import Unmet, iter_user_frames, unmet
from .draft import Draft
from .known import Known
from .signatures import Signature
from .values import BOOL, FLOAT, INT, LONG, Literal, Several, TensorValue, Value
from .watching import tensors_in

_TORCH = os.path.dirname(os.path.realpath(torch.__file__)) + os.sep
_MISSING = re.compile(r"missing \d+ required (?:positional|keyword-only) arguments?: (.*)")
_QUOTED = re.compile(r"'(\w+)'")
_RANKS = re.compile(
    r"\b([1-5])-?D\b|expected (\d) dim|expected (\d)[,)]|must have (\d) dim|(\d)-dim|dim(?:s|ensions?)? ?(?:==|=|to be|of) ?(\d)", re.IGNORECASE
)
_DTYPES = re.compile(
    r"dtype|scalar type|\bLong\b|\bBool|\bByte\b|\bInt\b|\bFloat\b|indices|not implemented for|integer|floating|Half|type torch|index_select|int64|"
    r"bitwise|operator\.invert",
    re.IGNORECASE,
)
_BEYOND = re.compile(r"out of (range|bounds)|index .* is out|must be in the range|Class values must be smaller|is not in range", re.IGNORECASE)
_NOT_TENSOR = re.compile(r"'Tensor' object (?:has no attribute '(\w+)'|is not (callable|a mapping|an iterator))|has no attribute '(\w+)'")
_NONE = re.compile(r"NoneType|None")
_MOST = 14


class CallRepairs:
    """Drafts that a failed call suggests, the likely ones first."""

    def __init__(self, attempt: Attempt, signature: Signature, arguments: Arguments, known: Known) -> None:
        self._attempt = attempt
        self._draft = attempt.draft
        self._signature = signature
        self._arguments = arguments
        self._known = known
        self._text = str(attempt.error)
        frames = list(iter_user_frames(attempt.frames, _TORCH))
        self._unmet = unmet(*frames[0]) if frames else Unmet()
        self._names = [name for frame, line in frames[:3] for name in unmet(frame, line).names]
        self._tensors = self._of_failure()

    def drafts(self) -> Iterator[Draft]:
        """All suggestions, one after the other."""
        yield from self._missing()
        yield from self._none()
        if _DTYPES.search(self._text):
            yield from self._other_types()
        if _BEYOND.search(self._text):
            yield from self._smaller_ids()
        yield from self._pairs()
        yield from self._layers()
        yield from self._ranks()
        yield from self._sizes_of_tensors()
        yield from self._structures()
        yield from self._options()
        yield from self._other_types()
        yield from self._any_rank()

    def _of_failure(self) -> list[torch.Tensor]:
        """The tensors of the function of torch that failed, else the one that was asked for its shape last."""
        watching = self._attempt.watching
        if watching is None:
            return []
        if watching.failed is not None:
            return tensors_in(watching.failed[1:])
        return [watching.asked] if watching.asked is not None else watching.last

    def _culprits(self, tensors: list[torch.Tensor] | None = None) -> list[str]:
        """The arguments of the call that the failing tensors come from: those of few origins first."""
        watching = self._attempt.watching
        found: dict[str, int] = {}
        for tensor in self._tensors if tensors is None else tensors:
            origins = watching.origins(tensor) if watching is not None else frozenset()
            for name in sorted(origins):
                found[name] = min(found.get(name, 99), len(origins))
        named = [name for name in self._names if name in self._draft.arguments]
        ordered = sorted(found, key=lambda name: (found[name], name not in named, list(self._draft.arguments).index(name)))
        return list(dict.fromkeys([*ordered, *named, *(() if ordered or named else self._draft.arguments)]))

    def _missing(self) -> Iterator[Draft]:
        match = _MISSING.search(self._text)
        draft = self._draft
        for name in _QUOTED.findall(match[1]) if match else ():
            parameter = self._signature.find(name)
            if parameter is not None and name not in draft.arguments:
                draft = draft.with_input(name, self._arguments.guess(parameter))
        if draft is not self._draft:
            yield draft

    def _none(self) -> Iterator[Draft]:
        """Give what was left out, where its absence is what failed, or the test that failed names it."""
        left_out = [name for name in self._arguments.optional() if name not in self._draft.arguments]
        named = [name for name in left_out if name in self._names or re.search(rf"\b{re.escape(name)}\b", self._text)]
        mentioned = [name for name in re.findall(r"\w+_\w+", self._text) if self._signature.find(name) is not None]
        named += [name for name in left_out if name not in named and name.endswith(tuple(mentioned or ["\0"]))]
        others = left_out if _NONE.search(self._text) else []
        for name in [*named, *others[:6]]:
            parameter = self._signature.find(name)
            if parameter is not None:
                yield self._draft.with_input(name, self._arguments.guess(parameter))
        for name, value in self._draft.arguments.items():
            parameter = self._signature.find(name)
            if parameter is not None and not parameter.is_required and name in self._names and not isinstance(value, Literal):
                yield self._draft.without_input(name)

    def _other_types(self) -> Iterator[Draft]:
        text = self._text.lower()
        order = [LONG, BOOL, FLOAT, INT]
        if "bool" in text or "invert" in text or "bitwise" in text:
            order = [BOOL, LONG, FLOAT]
        elif "floating" in text or "float" in text.partition("but")[0] or "same dtype" in text or "not implemented for 'long'" in text:
            order = [FLOAT, LONG, BOOL]
        for name in self._culprits()[:4]:
            for where, tensor in _tensors(self._draft.arguments.get(name)):
                for dtype in order:
                    if dtype != tensor.dtype:
                        if dtype == BOOL and len(tensor.shape) > 2:
                            yield self._with(name, where, TensorValue(tensor.shape[:2], BOOL))
                        below = 0 if dtype in (BOOL, FLOAT) else min(self._known.vocabulary, 4) if self._arguments.is_graph else 4
                        yield self._with(name, where, TensorValue(tensor.shape, dtype, below))

    def _smaller_ids(self) -> Iterator[Draft]:
        rows = [tensor.shape[0] for tensor in self._tensors if tensor.ndim == 2 and tensor.is_floating_point()]
        for name in [*self._culprits(), *self._draft.arguments]:
            for where, tensor in _tensors(self._draft.arguments.get(name)):
                if tensor.dtype in (LONG, INT):
                    for below in (*rows, tensor.below // 2, 2, 1):
                        if 0 < below < max(tensor.below, 2):
                            yield self._with(name, where, replace(tensor, below=below))

    def _pairs(self) -> Iterator[Draft]:
        """By the numbers of the test that failed."""
        names = [name for name in self._names if name in self._draft.arguments]
        asked = self._culprits()
        for have, want in self._unmet.pairs[:6]:
            yield from self._resized([*names, *asked, *self._draft.arguments], have, want)

    def _layers(self) -> Iterator[Draft]:
        """By the layer of torch that refused its input."""
        for frame, _ in reversed(self._attempt.frames[-4:]):
            layer = frame.f_locals.get("self")
            if not isinstance(layer, torch.nn.Module) or not type(layer).__module__.startswith("torch.nn"):
                continue
            given = [value for value in frame.f_locals.values() if isinstance(value, torch.Tensor)]
            for tensor in given[:2]:
                yield from self._for_layer(layer, tensor)
            return

    def _for_layer(self, layer: Any, tensor: torch.Tensor) -> Iterator[Draft]:
        names = self._culprits([tensor])
        if isinstance(layer, (torch.nn.Embedding, torch.nn.EmbeddingBag)):
            for name in names:
                for where, value in _tensors(self._draft.arguments.get(name)):
                    shape = value.shape if value.dtype != FLOAT or len(value.shape) < 3 else value.shape[:-1]
                    yield self._with(name, where, TensorValue(shape, LONG, layer.num_embeddings))
                    yield self._with(name, where, TensorValue(value.shape, LONG, layer.num_embeddings))
            return
        dims = {"1d": 1, "2d": 2, "3d": 3}.get(type(layer).__name__[-2:].lower())
        channels = getattr(layer, "in_channels", None) or getattr(layer, "num_features", None) or getattr(layer, "num_channels", None)
        if dims is not None and isinstance(channels, int):
            yield from self._convolved(names, tensor, dims, channels)
            return
        width = getattr(layer, "in_features", None) or getattr(layer, "embed_dim", None) or getattr(layer, "input_size", None)
        normalized = getattr(layer, "normalized_shape", None)
        width = normalized[-1] if normalized else width or channels
        if isinstance(width, int) and tensor.ndim:
            for name in names:
                if not tensor.is_floating_point():
                    yield from (self._with(name, where, TensorValue(value.shape, FLOAT)) for where, value in _tensors(self._draft.arguments[name]))
                yield from self._resized([name], tensor.shape[-1], width)
                for where, value in _tensors(self._draft.arguments[name]):
                    if value.shape:
                        yield self._with(name, where, TensorValue((*value.shape[:-1], width), FLOAT))
                        yield self._with(name, where, TensorValue(shape_of_rank(2, width, self._known), FLOAT))
                        yield self._with(name, where, TensorValue(shape_of_rank(3, width, self._known), FLOAT))

    def _convolved(self, names: list[str], tensor: torch.Tensor, dims: int, channels: int) -> Iterator[Draft]:
        for name in names:
            for where, value in _tensors(self._draft.arguments.get(name)):
                if tensor.ndim == dims + 2 and tensor.shape[1] != channels:
                    yield from self._resized([name], tensor.shape[1], channels)
                extent = {1: (self._known.length,), 2: (self._known.image,) * 2, 3: (8, self._known.image, self._known.image)}[dims]
                yield self._with(name, where, TensorValue((sizes.BATCH, channels, *extent), FLOAT))
                if tensor.ndim < dims + 2 and tensor.ndim < len(value.shape) + dims:
                    yield self._with(name, where, TensorValue((*value.shape, *extent)[: dims + 2], FLOAT))

    def _ranks(self) -> Iterator[Draft]:
        """By the number of dimensions that was expected."""
        asked = self._attempt.watching.asked if self._attempt.watching is not None else None
        wanted: list[int] = []
        unpacked = re.search(r"expected (?:at least )?(\d)(?:, got (\d))?\)", self._text) if "unpack" in self._text else None
        tensors = self._tensors
        if unpacked is not None and asked is not None:
            got = int(unpacked[2]) if unpacked[2] else asked.ndim
            wanted = [asked.ndim + int(unpacked[1]) - got]
            tensors = [asked]
        elif "Dimension out of range" in self._text or "too many indices" in self._text or "tuple index out of range" in self._text:
            tensors = [tensor for tensor in self._tensors if tensor.ndim < 4] or self._tensors
            wanted = [tensor.ndim + more for tensor in tensors[:1] for more in (1, 2)]
        else:
            found = [int(next(group for group in match.groups() if group)) for match in _RANKS.finditer(self._text)]
            wanted = [rank for rank in dict.fromkeys(found) if 0 < rank < 6]
        failing = next((tensor for tensor in tensors if self._attempt.watching and self._attempt.watching.origins(tensor)), None)
        for rank in wanted:
            for name in self._culprits(tensors):
                for where, value in _tensors(self._draft.arguments.get(name)):
                    delta = rank - failing.ndim if failing is not None else 0
                    for new in dict.fromkeys([len(value.shape) + delta, rank]):
                        yield from self._with_rank(name, where, value, new)

    def _with_rank(self, name: str, where: int | None, value: TensorValue, rank: int) -> Iterator[Draft]:
        if not 0 <= rank < 6 or rank == len(value.shape):
            return
        known = self._known
        forms: list[tuple[int, ...]] = []
        if rank < len(value.shape):
            forms = [value.shape[:rank], (*value.shape[: rank - 1], value.shape[-1])] if rank else [()]
        elif value.shape:
            more = rank - len(value.shape)
            forms = [(value.shape[0], *(known.length,) * more, *value.shape[1:]), (*value.shape, *(known.length,) * more)]
            forms.append((value.shape[0], *(known.heads,) * more, *value.shape[1:]))
        if value.dtype == FLOAT and rank:
            forms += [shape_of_rank(rank, width, known) for width in dict.fromkeys((known.width, known.channels, 3))]
        for shape in dict.fromkeys(forms):
            yield self._with(name, where, replace(value, shape=shape))

    def _sizes_of_tensors(self) -> Iterator[Draft]:
        """By the sizes of the tensors that did not go together, those at the same place first."""
        seen = 0
        pairs: list[tuple[torch.Tensor, int, int]] = []
        for tensor in self._tensors:
            for other in self._tensors:
                if tensor is other:
                    continue
                aligned = zip(reversed(tensor.shape), reversed(other.shape), strict=False)
                pairs += [(tensor, have, want) for have, want in aligned if have != want]
        for tensor in self._tensors:
            others = [size for other in self._tensors if other is not tensor for size in other.shape]
            pairs += [(tensor, have, want) for have in reversed(tensor.shape) for want in others if have != want]
        numbers = [int(number) for number in re.findall(r"\b(\d{1,5})\b", self._text)]
        for tensor in self._tensors[:2]:
            pairs += [(tensor, have, want) for have in numbers if have in tensor.shape for want in numbers if want != have]
        for number, have, want in dict.fromkeys((id(tensor), have, want) for tensor, have, want in pairs):
            found = next(item for item in self._tensors if id(item) == number)
            for draft in self._resized(self._culprits([found]), have, want):
                yield draft
                seen += 1
                if seen > _MOST:
                    return

    def _resized(self, names: list[str], have: int, want: int) -> Iterator[Draft]:
        """Change a dimension of size ``have`` to ``want``: in one place, in the last one first, then everywhere."""
        if not 0 < want < 5000:
            return
        for name in dict.fromkeys(names):
            given = self._draft.arguments.get(name)
            if isinstance(given, Literal) and given.value == have and not isinstance(given.value, bool):
                yield self._draft.with_input(name, Literal(want))
            for where, value in _tensors(given):
                places = [place for place, size in enumerate(value.shape) if size == have]
                if len(places) > 1:
                    yield self._with(name, where, replace(value, shape=tuple(want if size == have else size for size in value.shape)))
                for place in reversed(places):
                    yield self._with(name, where, replace(value, shape=(*value.shape[:place], want, *value.shape[place + 1 :])))

    def _structures(self) -> Iterator[Draft]:
        """Where a tensor was given for something else: a list, a pair, a dictionary, an object."""
        match = _NOT_TENSOR.search(self._text)
        iterated = "unpack" in self._text or "iterat" in self._text
        if match is None and not iterated:
            return
        attribute = (match[1] or match[3] or "") if match else ""
        for name in self._culprits()[:3]:
            value = self._draft.arguments.get(name)
            if not isinstance(value, TensorValue):
                continue
            if attribute in ("items", "keys", "values", "get"):
                yield self._draft.with_input(name, Several((value,), "dict", ("x",)))
            else:
                yield self._draft.with_input(name, Several((value, value), "list"))
                yield self._draft.with_input(name, Several((value, value), "tuple"))

    def _options(self) -> Iterator[Draft]:
        for name in self._names:
            parameter = self._signature.find(name)
            if parameter is None:
                continue
            for option in self._unmet.options:
                if isinstance(option, (str, int, float)):
                    yield self._draft.with_input(name, Literal(option))
            if isinstance(parameter.default, bool):
                given = self._draft.arguments.get(name)
                yield self._draft.with_input(name, Literal(not (given.value if isinstance(given, Literal) else parameter.default)))

    def _any_rank(self) -> Iterator[Draft]:
        """When nothing else is known: the usual shapes of every rank."""
        for name in self._culprits()[:2]:
            for where, value in _tensors(self._draft.arguments.get(name)):
                for rank in (3, 4, 2, 5, 1):
                    for width in dict.fromkeys((self._known.width, self._known.channels)):
                        yield self._with(name, where, TensorValue(shape_of_rank(rank, width, self._known), value.dtype, value.below))

    def _with(self, name: str, where: int | None, value: TensorValue) -> Draft:
        given = self._draft.arguments[name]
        if where is None or not isinstance(given, Several):
            return self._draft.with_input(name, value)
        items = tuple(value if place == where else item for place, item in enumerate(given.items))
        return self._draft.with_input(name, replace(given, items=items))


def _tensors(value: Value | None) -> Iterator[tuple[int | None, TensorValue]]:
    """The tensors of an argument, with their place in it."""
    if isinstance(value, TensorValue):
        yield None, value
    elif isinstance(value, Several):
        for place, item in enumerate(value.items):
            if isinstance(item, TensorValue):
                yield place, item
