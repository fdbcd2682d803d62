"""The first guess at the arguments of a call: by name, annotation, docstring, and what the source does with each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from . import sizes
from .kinds import Kind, kind_of
from .known import Known
from .signatures import Parameter, Signature
from .usage import Usage
from .values import BOOL, FLOAT, LONG, Literal, Made, Name, Several, TensorValue, Value

Maker = Callable[[Known], Value]
_B, _N, _E = sizes.BATCH, sizes.NODES, sizes.EDGES
_FEW = 16


def _ids(known: Known) -> Value:
    return TensorValue((_B, known.length), LONG, max(2, min(known.vocabulary // 2, _FEW * 4)))


def _ones(known: Known) -> Value:
    return TensorValue((_B, known.length), LONG)


def _mask(known: Known) -> Value:
    return TensorValue((_B, known.length), BOOL)


def _pixels(known: Known) -> Value:
    return TensorValue((_B, known.channels, known.image, known.image))


def _video(known: Known) -> Value:
    frames = known.find("num_frames", "frames", "image_depth") or 8
    return TensorValue((_B, known.channels, frames, known.image, known.image))


def _clip(known: Known) -> Value:
    frames = known.find("num_frames", "frames") or 8
    return TensorValue((_B, frames, known.channels, known.image, known.image))


def _hidden(known: Known) -> Value:
    return TensorValue((_B, known.length, known.find("hidden_size", "d_model", "embed_dim", "n_embd", "dim") or known.width))


def _other_hidden(known: Known) -> Value:
    width = known.find("cross_attention_dim", "context_dim", "encoder_hidden_size", "dim_context", "cross_attention_hidden_size")
    return TensorValue((_B, known.length, width or known.find("hidden_size", "d_model") or known.width))


def _embeds(known: Known) -> Value:
    return TensorValue((_B, known.length, known.find("hidden_size", "d_model", "n_embd", "embed_dim") or known.width))


def _wave(known: Known) -> Value:
    return TensorValue((_B, 4096))


def _spectrogram(known: Known) -> Value:
    bins = known.find("num_mel_bins", "n_mels", "feature_size", "input_dim", "input_feat_per_channel", "num_mels") or 80
    length = known.find("max_source_positions", "max_length")
    return TensorValue((_B, bins, 2 * length if length is not None and length <= 3000 else 128))


def _edges(known: Known) -> Value:
    return TensorValue((2, _E), LONG, _N)


def _nodes(known: Known) -> Value:
    return TensorValue((_N, known.find("in_channels", "in_dim", "hidden_channels", "channels") or known.width))


def _tensor(*shape: int, dtype: str = FLOAT, below: int = 0, form: str = "") -> Maker:
    return lambda known: TensorValue(shape, dtype, below, form)


def _edge_types(known: Known) -> Value:
    return TensorValue((_E,), LONG, min(3, known.find("num_relations", "num_types", "num_edge_types") or 2))


def _edge_features(known: Known) -> Value:
    return TensorValue((_E, known.find("edge_dim", "edge_channels", "edge_attr_dim", "num_edge_features") or sizes.DIM))


def _qkv(known: Known) -> Value:
    return TensorValue((_B, known.heads, known.length, known.find("dim_head", "head_dim") or 8))


_BY_NAME: tuple[tuple[str, Maker], ...] = (
    (r"^(edge_index|adj_t|edge_indices|hyperedge_index|edges|.*edge_label_index|pos_edge_index)$", _edges),
    (r"^edge_(weight|weights|scalars|scores?)$", _tensor(_E)),
    (r"^edge_(attr|attrs|features?|feats?|embedding)$", _edge_features),
    (r"^(edge_type|edge_types|rel_type|etype|edge_label)$", _edge_types),
    (r"^(batch|batch_index|batch_idx|index|batch_x|batch_y)$", _tensor(_N, dtype=LONG, below=2, form="sorted")),
    (r"^(pos|coords?|coordinates|positions_3d|xyz|points)$", _tensor(_N, 3)),
    (r"^(z|atomic_numbers|node_type|atom_types?|node_types)$", _tensor(_N, dtype=LONG, below=3)),
    (r"(^|_)(input_ids|token_ids|ids|tokens?|idx|input_tokens|text|texts|prompt|phonemes|decoder_ids|src_tokens|prev_output_tokens)$", _ids),
    (r"(^|_)(labels|targets?|gt)$", _ids),
    (r"^(token_type_ids|segment_ids|segment_label)$", lambda known: TensorValue((_B, known.length), LONG, 2)),
    (r"^(position_ids|pos_ids|input_pos|positions|cache_position)$", lambda known: TensorValue((_B, known.length), LONG, form="ramp")),
    (r"^((encoder_|decoder_|text_)?attention_mask|attn_mask_2d)$", _ones),
    (r"^(pixel_mask)$", lambda known: TensorValue((_B, known.image, known.image), LONG)),
    (r"(^|_)(attn_mask|attention_bias|attn_bias|rel_pos_bias)$", lambda known: TensorValue((known.length, known.length), BOOL)),
    (r"(mask|masks|padding)$", _mask),
    (r"^(pixel_values_videos?|video_pixel_values|videos_pixel_values)$", _clip),
    (r"^(pixel_values|pixels|rgb)$|(^|_)(img|imgs|image|images|pictures?)$", _pixels),
    (r"(^|_)(videos?|clips?|volumes?)$", _video),
    (r"^(input_features|spectrogram|mel|mels|spec|log_mel|fbank|mel_spec|melspec)$", _spectrogram),
    (r"^(input_values|audio|waveform|wav|wave|raw_audio|audio_values|speech|signal)$", _wave),
    (r"^(past_values)$", lambda known: TensorValue((_B, known.find("context_length", "prediction_length", "seq_len") or _FEW, known.find("num_input_channels") or 1))),
    (r"^(timesteps?|time_step|time|times|t|noise_level|diffusion_step)$", _tensor(_B, dtype=LONG, below=_FEW)),
    (r"^(sigmas?|log_snr|noise_levels|alphas?)$", _tensor(_B)),
    (r"^(class_labels?|classes|y_class|class_ids)$", _tensor(_B, dtype=LONG, below=4)),
    (r"^(encoder_hidden_states|encoder_outputs?|context|memory|cond|condition|encoder_out|enc_output|cross_attn_cond|kv_input|context_emb)$", _other_hidden),
    (r"(inputs_embeds|input_embeds|embeddings?|embeds?|query_embeds)$", _embeds),
    (r"^(hidden_states?|hidden|residual|tgt|src|seq|sequence|query|key|value|queries|keys|values|sequence_output|decoder_input|target_states)$", _hidden),
    (r"^(q|k|v)$", _qkv),
    (r"^(attn|attention|attn_weights|attention_scores|sim|dots)$", lambda known: TensorValue((_B, known.heads, known.length, known.length))),
    (r"^(cos|sin)$", lambda known: TensorValue((_B, known.length, known.find("head_dim", "dim_head") or 8))),
)
_RULES = [(re.compile(pattern), maker) for pattern, maker in _BY_NAME]
_GRAPH = ("edge_index", "adj_t", "hyperedge_index", "adj", "pos", "edge_attr")
_VAGUE = re.compile(r"^(x|y|z|h|input|inputs|inp|feat|feats|features?|data|sample|xs|tensor|node_feats?|emb|v|f|a|b|u|out|src|img_feats?|latents?|noise|node_features?|fmap)$")
_SHAPE = re.compile(r"[\(\[]\s*((?:[A-Za-z_|:*\\{}0-9 .]+,\s*)+[A-Za-z_|:*\\{}0-9 .]*)[\)\]]")


class Arguments:
    """Guesses for the call of one built module."""

    def __init__(self, known: Known, signature: Signature, used: dict[str, Usage], document: str) -> None:
        self._known = known
        self._signature = signature
        self._used = used
        self._document = document
        names = {parameter.name for parameter in signature.parameters}
        self.is_graph = not names.isdisjoint(_GRAPH) or ("index" in names and "ptr" in names)

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
        if value is None or (_VAGUE.match(plain) and not self.is_graph):
            value = self._by_use(name, usage) or value or self._by_document(name)
        if value is None and self.is_graph:
            value = _nodes(self._known)
        if value is None:
            value = self._by_layer()
        if isinstance(value, TensorValue):
            value = self._with_rank(value, plain, usage)
            if kind.dtype and kind.dtype != value.dtype and kind.dtype != FLOAT:
                value = TensorValue(value.shape, kind.dtype, 0 if kind.dtype == BOOL else value.below or 4, value.form)
        return value

    def _by_name(self, plain: str) -> Value | None:
        if self.is_graph and plain in ("x", "x_src", "x_dst", "input", "h", "x_i", "x_j", "src", "node_feats", "x_0"):
            return _nodes(self._known)
        if not self.is_graph and plain in ("index", "z", "pos", "points", "batch"):
            return None
        return next((maker(self._known) for pattern, maker in _RULES if pattern.search(plain)), None)

    def _by_use(self, name: str, usage: Usage) -> Value | None:
        """By its unpacked shape or a pattern, else by the first layer that it is given to."""
        for dims in usage.dims:
            return self._of_dims(dims, "")
        for callee, position in usage.passed:
            layer = self._known.first_layer(callee) if position == 0 and callee else None
            if layer is not None:
                return self._of_layer(*layer)
        return None

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
            return TensorValue((_B, self._known.length), LONG, max(2, min(self._known.vocabulary // 2, _FEW * 4)))
        return TensorValue(shape_of_rank(rank, width, self._known))

    def _with_rank(self, value: TensorValue, plain: str, usage: Usage) -> TensorValue:
        ranks = [rank for rank in usage.ranks if 0 < rank < 6]
        if not ranks or len(value.shape) in ranks or usage.dims:
            return value
        return TensorValue(shape_of_rank(ranks[0], self._known.width, self._known), value.dtype, value.below)

    def _of_dims(self, dims: tuple[str, ...], dtype: str) -> TensorValue:
        shape = tuple(self._dim(dim, dims, place) for place, dim in enumerate(dims))
        return TensorValue(shape, dtype or FLOAT, 4 if dtype == LONG else 0)

    def _dim(self, dim: str, dims: tuple[str, ...], place: int) -> int:
        plain = dim.strip("*#()").lower()
        if dim.isdigit():
            return int(dim)
        known = self._known
        is_picture = len(dims) >= 3 and "h" in plain_all(dims) and "w" in plain_all(dims)
        if place == 0 and plain in ("b", "batch", "bs", "bsz", "batch_size", "n_batch", "_", "bz", "nbatches") or (place == 0 and plain == "n" and is_picture):
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
            return Literal(_N if "nodes" in plain or plain in ("num_nodes", "dim_size") else 2 if plain in ("batch_size", "b") else self._known.find(name) or sizes.whole(name) or 1)
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
