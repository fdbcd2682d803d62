"""Modules without inputs, of the kinds that people write: many have no annotations."""
# mypy: ignore-errors

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import LongTensor, Tensor, nn
from torch.nn import functional


class Mlp(nn.Module):
    def __init__(self, in_features: int, hidden_features: int, drop: float = 0.0) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(in_features, hidden_features), nn.GELU(), nn.Linear(hidden_features, in_features))

    def forward(self, x: Tensor) -> Tensor:
        return self.layers(x)


class HeadsDivide(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        assert dim % heads == 0, "dim must be divisible by heads"
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        return functional.scaled_dot_product_attention(q, k, v)


class Channels(nn.Module):
    def __init__(self, planes):
        super().__init__()
        self.conv = nn.Conv2d(planes, 8, 3)

    def forward(self, feature_map):
        return self.conv(feature_map)


class Series(nn.Module):
    def __init__(self, c_in):
        super().__init__()
        self.conv = nn.Conv1d(c_in, 8, 3, padding=1)

    def forward(self, wave_form_like):
        return self.conv(wave_form_like)


class Words(nn.Module):
    def __init__(self, vocab_size: int, d_model: int, max_len: int = 8) -> None:
        super().__init__()
        self.word = nn.Embedding(vocab_size, d_model)
        self.place = nn.Embedding(max_len, d_model)

    def forward(self, what):
        return self.word(what) + self.place(torch.arange(what.shape[1]))


class Unpacks(nn.Module):
    def forward(self, x):
        b, c, t, h, w = x.shape
        return x.reshape(b, c * t, h * w)


class Config:
    pass


@dataclass
class NetConfig:
    n_layer: int = 12
    n_head: int = 12
    n_embd: int = 768
    vocab_size: int = 50304
    block_size: int = 1024
    rates: list[float] = field(default_factory=lambda: [0.1])


class Gpt(nn.Module):
    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.blocks = nn.ModuleList(nn.Linear(config.n_embd, config.n_embd) for _ in range(config.n_layer))

    def forward(self, idx, targets=None):
        x = self.wte(idx)
        for block in self.blocks:
            x = block(x)
        return x


class Namespaced(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.proj = nn.Linear(args.hidden_dim, args.num_classes)
        self.heads = args.n_heads

    def forward(self, x):
        return self.proj(x)


class Colour(enum.Enum):
    RED = "red"


class Modes(nn.Module):
    def __init__(self, mode: Literal["mean", "max"], colour: Colour, act: Callable[[Tensor], Tensor], kind: str) -> None:
        super().__init__()
        if kind not in ("small", "large"):
            raise ValueError(f"unknown kind {kind}")
        self.mode, self.colour, self.act = mode, colour, act

    def forward(self, x: Tensor) -> Tensor:
        return x.mean() if self.mode == "mean" else x.max()


class Wraps(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x):
        return self.fn(x) + x


class NeedsGpt(nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net
        self.width = net.wte.embedding_dim
        self.blocks = net.blocks

    def forward(self, ids):
        return self.net(ids)


class Layers(nn.Module):
    def __init__(self, dim, depth=None, causal=False):
        super().__init__()
        assert depth is not None, "`depth` must be given"
        self.causal = causal
        self.all = nn.ModuleList(nn.Linear(dim, dim) for _ in range(depth))

    def forward(self, x):
        for layer in self.all:
            x = layer(x)
        return x


class Decoder(Layers):
    pass


class Stack(nn.Module):
    def __init__(self, num_tokens: int, layers: Layers) -> None:
        super().__init__()
        self.embedding = nn.Embedding(num_tokens, layers.all[0].in_features)
        self.layers, self.num_tokens = layers, num_tokens

    def forward(self, x, return_all=False):
        b, n = x.shape
        return self.layers(self.embedding(x)).view(b, n, -1)


class OverDecoders(nn.Module):
    def __init__(self, net):
        super().__init__()
        assert isinstance(net.layers, Decoder), "must be a decoder"
        self.net, self.num_tokens = net, net.num_tokens

    def forward(self, x, **kwargs):
        return self.net(x, return_all=True)


class Base(nn.Module):
    def forward(self, x):
        raise NotImplementedError


class Doubled(Base):
    def forward(self, x):
        return 2 * x


class TakesBase(nn.Module):
    def __init__(self, part: Base) -> None:
        super().__init__()
        self.part = part

    def forward(self, x):
        return self.part(x)


class Graph(nn.Module):
    """Args:

    x: node features :math:`(|V|, F)`
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.lin = nn.Linear(in_channels, out_channels)

    def forward(self, x: Tensor, edge_index: Tensor, edge_weight: Tensor | None = None) -> Tensor:
        x = self.lin(x)
        return torch.zeros_like(x).index_add(0, edge_index[1], x[edge_index[0]])


class Typed(nn.Module):
    def forward(self, ids: LongTensor, table: Tensor, scale: float = 1.0, names: list[str] | None = None) -> Tensor:
        return table[ids] * scale


class Masked(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.norm = nn.LayerNorm(dim)

    def forward(self, x, keep=None):
        assert keep is not None, "keep is needed"
        return self.norm(x).masked_fill(~keep[..., None], 0.0)


class Image(nn.Module):
    def __init__(self, image_size, patch_size, num_classes, dim):
        super().__init__()
        assert image_size % patch_size == 0
        self.patches = nn.Conv2d(3, dim, patch_size, patch_size)
        self.position = nn.Parameter(torch.zeros(1, (image_size // patch_size) ** 2, dim))
        self.head = nn.Linear(dim, num_classes)

    def forward(self, img):
        return self.head((self.patches(img).flatten(2).transpose(1, 2) + self.position).mean(1))


class Pair(nn.Module):
    def forward(self, images: list[Tensor]) -> Tensor:
        assert all(image.ndim == 3 and image.shape[0] == 3 for image in images)
        return torch.stack([image.mean() for image in images])


class OneWidth(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(24, 16), nn.Linear(40, 16)

    def forward(self, a, b):
        return self.left(a) + self.right(b)


class OnlyInside(nn.Module):
    def __init__(self, table, secret):
        super().__init__()
        self.table = {name: secret.lookup[name] for name in table}

    def forward(self, x):
        return x * x.sum().item() + len(self.table)


class Holder(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        secret = Config()
        secret.lookup = {"a": 1}  # type: ignore[attr-defined]
        self.inside = OnlyInside(["a"], secret)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        return self.inside(self.norm(x))


class Impossible(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.width = width

    def forward(self, x):
        y = x.float() * math.pi
        raise RuntimeError(f"no device for {tuple(y.shape)}")


class WritesAFile(nn.Module):
    def forward(self, x):
        with open("written.txt", "w") as file:
            file.write("x")
        return x


class Connects(nn.Module):
    def forward(self, x):
        import socket

        socket.create_connection(("127.0.0.1", 9))
        return x


class Hangs(nn.Module):
    def forward(self, x):
        while True:
            x = x + 1
