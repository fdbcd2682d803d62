"""The names that the arguments of modules have across the ecosystem, and what tensors they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import sizes
from .known import Known
from .values import BOOL, FLOAT, LONG, TensorValue, Value

Maker = Callable[[Known], Value]
_B, _N, _E = sizes.BATCH, sizes.NODES, sizes.EDGES
FEW = 16


def _ids(known: Known) -> Value:
    return TensorValue((_B, known.length), LONG, max(2, min(known.vocabulary // 2, FEW * 4)))


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
    layer = known.first_layer()
    if layer is not None and layer[1] == 0:
        return _ids(known)
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


def _series(known: Known) -> Value:
    length = known.find("context_length", "prediction_length", "seq_len") or FEW
    return TensorValue((_B, length, known.find("num_input_channels") or 1))


def _edges(known: Known) -> Value:
    return TensorValue((2, _E), LONG, _N)


def nodes(known: Known) -> Value:
    """The features of the nodes of a graph."""
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
    (r"^edge_(weights?|scalars|scores?|times?|t)$", _tensor(_E)),
    (r"^(seed|node)_times?$", _tensor(_N)),
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
    (r"^(past_values)$", _series),
    (r"^(timesteps?|time_step|time|times|t|noise_level|diffusion_step)$", _tensor(_B, dtype=LONG, below=FEW)),
    (r"^(sigmas?|log_snr|noise_levels|alphas?)$", _tensor(_B)),
    (r"^(class_labels?|classes|y_class|class_ids)$", _tensor(_B, dtype=LONG, below=4)),
    (r"^(encoder_hidden_states|encoder_outputs?|encoder_out|enc_output|context|context_emb|memory)$", _other_hidden),
    (r"^(cond|condition|cross_attn_cond|kv_input)$", _other_hidden),
    (r"(inputs_embeds|input_embeds|embeddings?|embeds?|query_embeds)$", _embeds),
    (r"^(hidden_states?|hidden|residual|tgt|src|seq|sequence|sequence_output|decoder_input|target_states)$", _hidden),
    (r"^(query|key|value|queries|keys|values)$", _hidden),
    (r"^(q|k|v)$", _qkv),
    (r"^(attn|attention|attn_weights|attention_scores|sim|dots)$", lambda known: TensorValue((_B, known.heads, known.length, known.length))),
    (r"^(cos|sin)$", lambda known: TensorValue((_B, known.length, known.find("head_dim", "dim_head") or 8))),
)
RULES = [(re.compile(pattern), maker) for pattern, maker in _BY_NAME]
GRAPH = ("edge_index", "adj_t", "hyperedge_index", "edge_attr", "edge_weight", "pos_edge_index")
VAGUE = re.compile(
    r"^(x|y|z|h|v|f|a|b|u|xs|inputs?|inp|feats?|features?|data|sample|tensor|emb|out|src|latents?|noise|node_feats?|node_features?|img_feats?|fmap)$"
)
