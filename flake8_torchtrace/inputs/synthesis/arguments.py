"""The first guess at the arguments of a call: by name, annotation, docstring, and what the source does with each."""

from __future__ import annotations

import re

from . import sizes
from .kinds import Kind, kind_of
from .known import Known
from .names import FEW, GRAPH, RULES, VAGUE, nodes
from .signatures import Parameter, Signature
from .usage import Usage
from .values import BOOL, FLOAT, LONG, Literal, Made, Name, Several, TensorValue, Value

_B, _N = sizes.BATCH, sizes.NODES
_SHAPE = re.compile(r"[\(\[]\s*((?:[A-Za-z_|:*\\{}0-9 .]+,\s*)+[A-Za-z_|:*\\{}0-9 .]*)[\)\]]")
_BATCHES = ("b", "batch", "bs", "bsz", "batch_size", "n_batch", "_", "bz", "nbatches")


class Arguments:
    """Guesses for the call of one built module."""

    def __init__(self, known: Known, signature: Signature, used: dict[str, Usage], document: str) -> None:
        self._known = known
        self._signature = signature
        self._used = used
        self._document = document
        names = {parameter.name for parameter in signature.parameters}
        pairs = (("index", "ptr"), ("index", "dim_size"), ("index", "x"), ("pos", "batch"), ("x", "batch"))
        self.is_graph = not names.isdisjoint(GRAPH) or any(names.issuperset(pair) for pair in pairs)

    def first(self) -> dict[str, Value]:
        """A guess for every argument that has no default."""
        return {parameter.name: self.guess(parameter) for parameter in self._signature.parameters if parameter.is_required}

    def optional(self) -> list[str]:
        """The arguments that may be left out and that are None then."""
        return [parameter.name for parameter in self._signature.parameters if parameter.default is None]

    def guess(self, parameter: Parameter) -> Value:
        """A guess for one argument."""
        kind = kind_of(parameter.annotation)
        usage = self._used.get(parameter.name) or Usage()
        if kind.word == "tensor" and kind.dims:
            return self._of_dims(kind.dims, kind.dtype)
        if kind.word in ("int", "float", "bool", "str", "literal", "list", "tuple", "dict", "callable", "class"):
            found = self._of_kind(kind, parameter, usage)
            if found is not None:
                return found
        return self._tensor(parameter.name, kind, usage)

    def _tensor(self, name: str, kind: Kind, usage: Usage) -> Value:
        plain = sizes.plain(name)
        value = self._by_name(plain)
        other_rank = isinstance(value, TensorValue) and bool(usage.dims) and len(usage.dims[0]) != len(value.shape)
        if value is None or other_rank or (VAGUE.match(plain) and not self.is_graph):
            value = self._by_use(name, usage) or value or self._by_document(name)
        if value is None and self.is_graph:
            value = nodes(self._known)
        if value is None:
            value = self._by_layer()
        if isinstance(value, TensorValue):
            value = self._with_rank(value, plain, usage)
            if kind.dtype and kind.dtype != value.dtype and kind.dtype != FLOAT:
                value = TensorValue(value.shape, kind.dtype, 0 if kind.dtype == BOOL else value.below or 4, value.form)
        return value

    def _by_name(self, plain: str) -> Value | None:
        if self.is_graph and plain in ("x", "x_src", "x_dst", "input", "h", "x_i", "x_j", "src", "node_feats", "x_0", "msg", "y"):
            return nodes(self._known)
        if not self.is_graph and plain in ("index", "z", "pos", "points", "batch"):
            return None
        return next((maker(self._known) for pattern, maker in RULES if pattern.search(plain)), None)

    def _by_use(self, name: str, usage: Usage) -> Value | None:
        """By its unpacked shape or a pattern, else by the first layer that it is given to."""
        layers = [self._known.first_layer(callee) for callee, position in usage.passed if position == 0 and callee]
        given = next((layer for layer in layers if layer is not None), None)
        if given is not None and given[1] == 0:  # to an embedding: dimensions that are told are those of what became of it
            return self._of_layer(*given)
        for dims in usage.dims:
            return self._of_dims(dims, "")
        return self._of_layer(*given) if given is not None else None

    def _by_document(self, name: str) -> Value | None:
        """A shape that the docstring states beside the name."""
        for line in self._document.splitlines():
            if re.search(rf"(^|\W){re.escape(name)}(\W|$)", line):
                found = _SHAPE.search(line)
                if found is not None and found[1].count(",") < 5:
                    dims = [part.strip(" \\{}|:*") for part in found[1].split(",") if part.strip()]
                    if 1 < len(dims) < 6 and all(len(dim) < 20 for dim in dims):
                        return self._of_dims(tuple(dims), "")
        return None

    def _by_layer(self) -> Value:
        layer = self._known.first_layer()
        return self._of_layer(*layer) if layer is not None else TensorValue((_B, self._known.length, self._known.width))

    def _of_layer(self, rank: int, width: int) -> TensorValue:
        if width == 0:
            return TensorValue((_B, self._known.length), LONG, max(2, min(self._known.vocabulary // 2, FEW * 4)))
        return TensorValue(shape_of_rank(rank, width, self._known))

    def _with_rank(self, value: TensorValue, plain: str, usage: Usage) -> TensorValue:
        ranks = [rank for rank in usage.ranks if 0 < rank < 6]
        if not ranks or len(value.shape) in ranks or usage.dims:
            return value
        return TensorValue(shape_of_rank(ranks[0], self._known.width, self._known), value.dtype, value.below)

    def _of_dims(self, dims: tuple[str, ...], dtype: str) -> TensorValue:
        layer = self._known.first_layer()
        if len(dims) == 2 and layer is not None and layer[1] == 0 and not dtype:
            return self._of_layer(*layer)
        shape = tuple(self._dim(dim, dims, place) for place, dim in enumerate(dims))
        return TensorValue(shape, dtype or FLOAT, 4 if dtype == LONG else 0)

    def _dim(self, dim: str, dims: tuple[str, ...], place: int) -> int:
        plain = dim.strip("*#()").lower()
        if dim.isdigit():
            return int(dim)
        known = self._known
        is_picture = len(dims) >= 3 and "h" in plain_all(dims) and "w" in plain_all(dims)
        if place == 0 and (plain in _BATCHES or (plain == "n" and is_picture)):
            return _B
        if "*" in plain or plain in ("h", "w", "height", "width", "hh", "ww", "h1", "w1"):
            if is_picture or "*" in plain:
                return known.image
            return known.heads
        if plain in ("c", "ch", "channels", "chan", "c_in", "in_channels") and is_picture:
            layer = known.first_layer()
            return layer[1] if layer is not None and layer[0] == len(dims) else known.channels
        if place == len(dims) - 1 and len(dims) > 1 and plain not in ("n", "t", "l", "s", "i", "j", "seq", "seq_len"):
            if len(dims) == 4 and "h" in plain_all(dims):
                return known.find("dim_head", "head_dim") or 8
            return known.width
        if plain in ("d", "c", "dim", "e", "channels", "hidden", "f", "feat", "embed_dim"):
            return known.width
        if plain in ("f", "frames", "t") and is_picture:
            return known.find("num_frames", "frames") or 8
        return known.length

    def _of_kind(self, kind: Kind, parameter: Parameter, usage: Usage) -> Value | None:
        name = parameter.name
        if kind.word == "int":
            plain = sizes.plain(name)
            if plain in ("height", "width", "h", "w", "size"):
                return Literal(4)
            if "nodes" in plain or plain == "dim_size":
                return Literal(_N)
            return Literal(_B if plain in _BATCHES else self._known.find(name) or sizes.whole(name) or 1)
        if kind.word == "float":
            return Literal(sizes.part(name) or 0.5)
        if kind.word == "bool":
            return Literal(False)
        if kind.word == "str":
            return Literal(usage.choices[0] if usage.choices else "x")
        if kind.word == "literal" and isinstance(kind.choices[0], (str, int, float, bool, type(None))):
            return Literal(kind.choices[0])
        if kind.word in ("list", "tuple"):
            return self._container(kind, parameter, usage)
        if kind.word == "dict":
            return Several((self._tensor("x", Kind("tensor"), Usage()),), "dict", ("x",)) if kind.items else None
        if kind.word == "callable":
            return Made(Name("torch", "torch.nn.Identity"))
        return None

    def _container(self, kind: Kind, parameter: Parameter, usage: Usage) -> Value:
        items = kind.items or (Kind("tensor"),)
        singular = Parameter(parameter.name.rstrip("s") or parameter.name, parameter.default, parameter.annotation)
        made = []
        for item in items if kind.word == "tuple" else (items[0],) * 2:
            value = self._of_kind(item, singular, Usage()) if item.word not in ("tensor", "unknown") else None
            value = value or self._tensor(singular.name, item, Usage())
            if isinstance(value, TensorValue) and kind.word == "list" and len(value.shape) > 3:
                value = TensorValue(value.shape[1:], value.dtype, value.below)  # the list is the batch
            made.append(value)
        return Several(tuple(made), kind.word)


def plain_all(dims: tuple[str, ...]) -> str:
    """The names of all dimensions but the first, as one text of single words."""
    return " ".join(dim.lower().strip("()*") for dim in dims[1:])


def shape_of_rank(rank: int, width: int, known: Known) -> tuple[int, ...]:
    """A usual shape of a rank: ids, rows, sequences, pictures, films."""
    picture = known.image
    layer = known.first_layer()
    channels = width if width <= 4 or (layer is not None and layer[0] > 3) else known.channels
    return {
        1: (_B,), 2: (_B, width), 3: (_B, known.length, width), 4: (_B, channels, picture, picture), 5: (_B, channels, 8, picture, picture),
    }.get(rank, (_B,) * (rank - 1) + (width,))  # fmt: skip
