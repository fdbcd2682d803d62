"""Small numbers for the names under which constructors and configurations ask for sizes."""

from __future__ import annotations

import re

DIM, HEADS, DEPTH, LENGTH, IMAGE, PATCH, BATCH, NODES, EDGES, VOCABULARY = 32, 4, 2, 16, 32, 8, 2, 8, 16, 64

# The first pattern that is found in the name decides. Sizes agree with each other: DIM = HEADS * 8, IMAGE = 4 * PATCH, LENGTH = (IMAGE / PATCH) ** 2.
_WHOLE: tuple[tuple[str, int], ...] = (
    (r"dim_?heads?$|dim_?per_?head|heads?_(dim|size|channels|width)|d_head|d_kv|d_k$|d_v$|dim_(key|value|k|v|qk)$", 8),
    (r"(patch|tile)_?(size|h|w|height|width)?$", PATCH),
    (r"(frame|temporal|t)_patch|tubelet", 2),
    (r"(image|img|input|crop|spatial)_?(size|resolution|h|w|height|width)|^(size|resolution|height|width)$", IMAGE),
    (r"^in_chan|^image_channels$|^img_chan|^input_channels$|^in_chs", 3),
    (r"groups?$|n_groups|num_groups", 4),
    (r"head", HEADS),
    (r"vocab|num_tokens|n_tokens?$|ntokens?|num_embeddings|num_words|num_ids|codebook_size|num_codes|n_embed$|alphabet", VOCABULARY),
    (r"class|label|num_outputs|n_out$|num_targets|n_targets", 10),
    (r"depth|num_layers|n_layers?|nlayers?|layers$|blocks?$|num_stages|repeats|n_res|stages", DEPTH),
    (r"kernel|ksize|^k$", 3),
    (r"stride|dilation|padding", 1),
    (r"block_size|seq|length|max_len|n_ctx|context|positions?|num_frames|^frames|n_frames|time_steps|num_patches|timesteps|window", LENGTH),
    (r"experts?|num_slots|quantizers|codebooks", 4),
    (r"top_?k|topk", 2),
    (r"num_nodes|n_nodes", NODES),
    (r"relations|edge_types|node_types|bases|num_types", 3),
    (r"latent(s)?_?(num|len)|num_(latents|queries|mem|memory|landmarks|registers|anchors|points|samples|neighbors|keypoints)", 8),
    (r"mlp|ffn|ff_|feed_?forward|intermediate|inner|expan", 2 * DIM),
    (
        r"dim|hidden|embed|channel|feature|width|units|planes|filters|d_model|d_inner|in_chs|out_chs|"
        r"^(in|out|c|n|d|h|emsize|ninp|nhid|nf|ch|c_in|c_out|d_in|d_out|emb|ndf|ngf)$|_(emb|ch|chan|chs|nc)$|^n_embd$|size$|rank|latent",
        DIM,
    ),
    (r"ratio|mult|factor|scale|reduction|order|num_|^n_", 2),
)
_PARTS: tuple[tuple[str, float], ...] = (
    (r"drop|^p$|prob", 0.0),
    (r"eps", 1e-5),
    (r"lr|learning|decay|momentum", 0.1),
    (r"theta|base", 10000.0),
    (r"ratio|rate|alpha|beta|gamma|lambda|weight|margin|thresh|sigma|noise", 0.5),
)
_WHOLE_RULES = [(re.compile(pattern), value) for pattern, value in _WHOLE]
_PART_RULES = [(re.compile(pattern), value) for pattern, value in _PARTS]
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def plain(name: str) -> str:
    """``name`` in lower case with underscores between its words."""
    return _CAMEL.sub("_", name).lower().strip("_")


def whole(name: str) -> int | None:
    """A small whole number for a size of this name; None if the name does not ask for one."""
    return next((value for pattern, value in _WHOLE_RULES if pattern.search(plain(name))), None)


def part(name: str) -> float | None:
    """A number with a fraction for this name; None if the name does not ask for one."""
    return next((value for pattern, value in _PART_RULES if pattern.search(plain(name))), None)
