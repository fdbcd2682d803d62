"""What a built module knows of the sizes of its inputs: its attributes, its configuration, its layers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from . import sizes

_CONVOLUTIONS = {nn.Conv1d: 1, nn.Conv2d: 2, nn.Conv3d: 3, nn.ConvTranspose1d: 1, nn.ConvTranspose2d: 2, nn.ConvTranspose3d: 3}
_WIDTHS = (
    "hidden_size", "d_model", "n_embd", "embed_dim", "dim", "hidden_dim", "in_channels", "in_features", "input_dim", "width", "channels",
    "input_size", "in_dim", "embed_dims",
)  # fmt: skip
_CONFIGS = ("config", "cfg", "args", "hparams", "text_config", "vision_config")


class Known:
    """Looks sizes up in ``module``; ``arguments`` are those of its constructor that are plain numbers."""

    def __init__(self, module: Any, arguments: dict[str, Any]) -> None:
        self._module = module
        self._arguments = arguments

    def find(self, *names: str) -> int | None:
        """The first whole number under one of these names."""
        for holder in self._holders():
            for name in names:
                value = holder.get(name) if isinstance(holder, dict) else getattr(holder, name, None)
                if isinstance(value, (tuple, list)) and value and name.endswith("size"):
                    value = value[0]
                if isinstance(value, int) and not isinstance(value, bool) and value > 0:
                    return value
        return None

    def _holders(self) -> Iterator[Any]:
        yield self._arguments
        if isinstance(self._module, nn.Module):
            yield {name: value for name, value in vars(self._module).items() if not name.startswith("_")}
        for name in _CONFIGS:
            config = getattr(self._module, name, None)
            if config is not None and not isinstance(config, (int, str, nn.Module)):
                yield config
                for inner in ("text_config", "vision_config", "audio_config", "encoder", "backbone_config"):
                    nested = getattr(config, inner, None)
                    if nested is not None and hasattr(nested, "__dict__"):
                        yield nested

    @property
    def width(self) -> int:
        """The size of the last dimension of what the module takes, as far as its layers and attributes tell."""
        layer = self.first_layer()
        return (layer[1] if layer is not None else 0) or self.find(*_WIDTHS) or sizes.DIM

    @property
    def vocabulary(self) -> int:
        """The number of rows of its first embedding."""
        for module in self._modules():
            if isinstance(module, nn.Embedding) and module.num_embeddings > 8:
                return module.num_embeddings
        return self.find("vocab_size", "num_tokens", "num_embeddings") or sizes.VOCABULARY

    @property
    def channels(self) -> int:
        """The channels of its pictures."""
        for module in self._modules():
            if type(module) in _CONVOLUTIONS:
                return int(getattr(module, "in_channels"))  # noqa: B009 -- torch types attributes of modules as tensors
        return self.find("num_channels", "in_channels", "channels", "in_chans") or 3

    @property
    def image(self) -> int:
        """The height and width of its pictures."""
        return self.find("image_size", "img_size", "input_size", "resolution", "input_resolution", "image_height") or sizes.IMAGE

    @property
    def heads(self) -> int:
        """Its number of attention heads."""
        return self.find("num_attention_heads", "num_heads", "n_head", "heads", "n_heads", "nhead") or sizes.HEADS

    @property
    def length(self) -> int:
        """The length of its sequences."""
        found = self.find("max_seq_len", "seq_len", "block_size", "context_length", "max_length", "sequence_length", "num_frames")
        return found if found is not None and found < sizes.LENGTH else sizes.LENGTH

    def first_layer(self, name: str | None = None) -> tuple[int, int] | None:
        """Rank and width that the first layer with weights asks for; ``name``: inside of that attribute."""
        inside = getattr(self._module, name, None) if name else self._module
        for module in inside.modules() if isinstance(inside, nn.Module) else ():
            found = asked_for(module)
            if found is not None:
                return found
        return None

    def _modules(self) -> Iterator[nn.Module]:
        return self._module.modules() if isinstance(self._module, nn.Module) else iter(())


def asked_for(module: nn.Module) -> tuple[int, int] | None:
    """The rank and the width (channels for convolutions, 0 for ids) of what a layer of torch takes."""
    dims = _CONVOLUTIONS.get(type(module))
    if dims is not None:
        return dims + 2, int(module.in_channels)  # type: ignore[arg-type]
    if isinstance(module, nn.Linear):
        return 3, module.in_features
    if isinstance(module, nn.LayerNorm):
        return 3, int(module.normalized_shape[-1])
    if isinstance(module, nn.MultiheadAttention):
        return 3, module.embed_dim
    if isinstance(module, nn.RNNBase):
        return 3, module.input_size
    if isinstance(module, (nn.BatchNorm2d, nn.InstanceNorm2d)):
        return 4, module.num_features
    if isinstance(module, (nn.Embedding, nn.EmbeddingBag)):
        return 2, 0
    rms = getattr(nn, "RMSNorm", None)
    if rms is not None and isinstance(module, rms):
        return 3, int(module.normalized_shape[-1])
    return None


def is_module(found: Any) -> bool:
    """Whether it is a module of torch."""
    return isinstance(found, torch.nn.Module)
